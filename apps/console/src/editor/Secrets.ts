import { hiddenValue } from "@tocsin/domain/forms"

/** Whether a property is secret; its path has the names of list items instead of their positions. */
export type IsSecret = (path: string, parent: Readonly<Record<string, unknown>>) => boolean

/** Hides the secrets of a definition that were entered; `secrets` has them by their paths. */
export const hideSecrets = <D>(definition: D, isSecret: IsSecret) => {
  const secrets = new Map<string, string>()
  const shown = mapTexts(definition, (text, path, parent) => {
    if (text === "" || text === hiddenValue || !isSecret(path, parent)) return text
    secrets.set(path, text)
    return hiddenValue
  })
  return { shown, secrets }
}

/** Puts hidden secrets back in a definition. A hidden value without one stays, as the one that is stored. */
export const restoreSecrets = <D>(definition: D, secrets: ReadonlyMap<string, string>): D =>
  mapTexts(definition, (text, path) => (text === hiddenValue ? (secrets.get(path) ?? text) : text))

/** Hides the secrets in a part of a definition, wherever they are. */
export const hideTexts = (part: unknown, secrets: ReadonlyMap<string, string>): unknown => {
  const texts = new Set(secrets.values())
  return mapTexts(part, (text) => (texts.has(text) ? hiddenValue : text))
}

const mapTexts = <D>(
  definition: D,
  change: (text: string, path: string, parent: Readonly<Record<string, unknown>>) => string,
): D => {
  const map = (value: unknown, path: string, parent: Readonly<Record<string, unknown>>): unknown => {
    if (typeof value === "string") return change(value, path, parent)
    if (Array.isArray(value)) {
      return value.map((item: unknown, at) => map(item, `${path}[${nameOf(item) ?? at}]`, parent))
    }
    if (typeof value !== "object" || value === null) return value
    const object = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      Object.entries(object).map(([key, each]) => [
        key,
        map(each, path === "" ? key : `${path}.${key}`, object),
      ]),
    )
  }
  return map(definition, "", {}) as D
}

const nameOf = (item: unknown): string | undefined =>
  typeof item === "object" && item !== null && "name" in item && typeof item.name === "string"
    ? item.name
    : undefined
