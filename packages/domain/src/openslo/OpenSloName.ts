import { namePattern } from "../metadata/Metadata.ts"
import { nameFromDisplayName } from "../codec/NameFromDisplayName.ts"

/** Whether a text can be a name of at most `max` characters as it stands. */
const isName = (text: string, max: number): boolean => text.length <= max && namePattern.test(text)

/**
 * Makes a name of a text: `OnCallDevops` gives `on-call-devops`. One that is a name already stays; `fallback` is taken
 * where nothing is left.
 *
 * Source: spec/definitions §3.
 */
const nameFromText = (text: string, max: number, fallback: string): string => {
  if (isName(text, max)) return text
  const parted = text.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1-$2")
  return nameFromDisplayName(parted, max) || fallback
}

/** The names of one kind of object, each given to one text alone; what would be given twice gets a number. */
export class NameRegistry {
  readonly #max: number
  readonly #fallback: string
  readonly #nameByText = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** Of the texts that are there from the start, those that are names already keep them. */
  constructor(texts: ReadonlyArray<string>, max: number, fallback: string) {
    this.#max = max
    this.#fallback = fallback
    for (const text of texts) if (isName(text, max)) this.nameOf(text)
  }

  /** The name for a text, the same each time. */
  nameOf(text: string): string {
    const known = this.#nameByText.get(text)
    if (known !== undefined) return known
    const wanted = nameFromText(text, this.#max, this.#fallback)
    let name = wanted
    for (let number = 2; this.#taken.has(name); number++) {
      name = `${wanted.slice(0, this.#max - 5).replace(/-$/, "")}-${number}`
    }
    this.#taken.add(name)
    this.#nameByText.set(text, name)
    return name
  }
}
