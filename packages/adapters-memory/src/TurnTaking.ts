import { Fifo } from "./Fifo.ts"

/**
 * Items that take turns: organizations with each other, and the items of one organization among themselves.
 *
 * Each operation takes constant time, so those who wait elsewhere cost nothing.
 */
export class TurnTaking<Item extends { readonly organization: string }> {
  readonly #organizations = new Fifo<string>()
  readonly #itemsByOrganization = new Map<string, Fifo<Item>>()
  readonly #present = new Set<Item>()

  get isEmpty(): boolean {
    return this.#present.size === 0
  }

  /** Has the item wait for its turn, unless it does so already. */
  add(item: Item): void {
    if (this.#present.has(item)) return
    this.#present.add(item)
    const items = this.#itemsByOrganization.get(item.organization)
    if (items !== undefined) return items.push(item)
    const first = new Fifo<Item>()
    first.push(item)
    this.#itemsByOrganization.set(item.organization, first)
    this.#organizations.push(item.organization)
  }

  /** Takes the item whose turn it is; its organization is behind all others then. */
  next(): Item | undefined {
    const organization = this.#organizations.shift()
    if (organization === undefined) return undefined
    const items = this.#itemsByOrganization.get(organization)
    const item = items?.shift()
    if (items === undefined || items.size === 0) this.#itemsByOrganization.delete(organization)
    else this.#organizations.push(organization)
    if (item !== undefined) this.#present.delete(item)
    return item
  }
}
