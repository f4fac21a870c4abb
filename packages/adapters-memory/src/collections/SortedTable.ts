import type { ProjectKey } from "@tocsin/domain/kernel"
import type { Page, PageRequest } from "@tocsin/domain/pagination"

/**
 * A table with rows in the order of project, then name, by code point.
 *
 * Finding takes O(1), a page O(log n + page), and adding a key O(log n) plus a shift of the keys after it; adding at the
 * end and deleting at the start shift nothing. Names are ASCII, so UTF-16 order is the order of code points.
 */
export class SortedTable<Row> {
  readonly #rows = new Map<string, Row>()
  readonly #keys: Array<string> = []

  get size(): number {
    return this.#rows.size
  }

  get(key: ProjectKey): Row | undefined {
    return this.#rows.get(keyToText(key))
  }

  set(key: ProjectKey, row: Row): void {
    const text = keyToText(key)
    if (!this.#rows.has(text)) {
      const at = this.#countUpTo(text)
      if (at === this.#keys.length) this.#keys.push(text)
      else this.#keys.splice(at, 0, text)
    }
    this.#rows.set(text, row)
  }

  delete(key: ProjectKey): boolean {
    const text = keyToText(key)
    if (!this.#rows.delete(text)) return false
    const at = this.#countUpTo(text) - 1
    if (at === 0) this.#keys.shift()
    else this.#keys.splice(at, 1)
    return true
  }

  /** The rows after `after` that `isWanted` accepts, of one project or of all, in order. */
  page(
    request: PageRequest<ProjectKey> & { readonly project?: string },
    isWanted: (row: Row) => boolean = () => true,
  ): Page<Row> {
    const { after, project, limit } = request
    // A project's keys are all after its name with U+0000, and before its name with U+0001.
    const first = project === undefined ? 0 : this.#countUpTo(`${project}\u0000`)
    const end = project === undefined ? this.#keys.length : this.#countUpTo(`${project}\u0001`)
    const start = after === undefined ? 0 : this.#countUpTo(keyToText(after))
    const items: Array<Row> = []
    for (let at = Math.max(first, start); at < end; at++) {
      const row = this.#rows.get(this.#keys[at] ?? "")
      if (row === undefined || !isWanted(row)) continue
      if (items.length === limit) return { items, hasMore: true }
      items.push(row)
    }
    return { items, hasMore: false }
  }

  /** The rows before `after` that `isWanted` accepts, last one first. */
  pageBackwards(
    { after, limit }: PageRequest<ProjectKey>,
    isWanted: (row: Row) => boolean = () => true,
  ): Page<Row> {
    const items: Array<Row> = []
    for (let at = after === undefined ? this.#keys.length : this.#countUpTo(keyToText(after)); at > 0; at--) {
      const key = this.#keys[at - 1] ?? ""
      const row = this.#rows.get(key)
      if (row === undefined || (after !== undefined && key === keyToText(after)) || !isWanted(row)) continue
      if (items.length === limit) return { items, hasMore: true }
      items.push(row)
    }
    return { items, hasMore: false }
  }

  *values(): Generator<Row> {
    for (const key of this.#keys) {
      const row = this.#rows.get(key)
      if (row !== undefined) yield row
    }
  }

  *valuesBackwards(): Generator<Row> {
    for (let at = this.#keys.length - 1; at >= 0; at--) {
      const row = this.#rows.get(this.#keys[at] ?? "")
      if (row !== undefined) yield row
    }
  }

  /** The number of keys up to and including this one, which is also the index of the first key after it. */
  #countUpTo(text: string): number {
    let low = 0
    let high = this.#keys.length
    if (high > 0 && (this.#keys[high - 1] ?? "") <= text) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] ?? "") <= text) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The key of a row that is identified by an ID. */
export const idKey = (id: string): ProjectKey => ({ project: "", name: id })

// U+0000 sorts before every character of a name, so a project's rows stay together.
const keyToText = (key: ProjectKey): string => `${key.project}\u0000${key.name}`
