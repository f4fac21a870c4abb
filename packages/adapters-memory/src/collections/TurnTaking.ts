import { Fifo } from "./Fifo.ts"

/**
 * A fair queue: organizations take turns, and so do the items of each organization.
 *
 * Every operation takes constant time, however many items are waiting.
 */
export class TurnTaking<Item extends { readonly organization: string }> {
  readonly #organizations = new Fifo<string>()
  readonly #itemsByOrganization = new Map<string, Fifo<Item>>()
  readonly #present = new Set<Item>()
  #skipped: Array<string> = []

  get isEmpty(): boolean {
    return this.#organizations.size === 0
  }

  /** Adds an item, unless it is waiting already. */
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

  /**
   * Removes the item whose turn it is; its organization is then behind all others. Organizations without capacity are
   * skipped until `resume`.
   */
  next(hasCapacity: (organization: string) => boolean = () => true): Item | undefined {
    let organization = this.#organizations.shift()
    while (organization !== undefined && !hasCapacity(organization)) {
      this.#skipped.push(organization)
      organization = this.#organizations.shift()
    }
    if (organization === undefined) return undefined
    const items = this.#itemsByOrganization.get(organization)
    const item = items?.shift()
    if (items === undefined || items.size === 0) this.#itemsByOrganization.delete(organization)
    else this.#organizations.push(organization)
    if (item !== undefined) this.#present.delete(item)
    return item
  }

  /** Lets skipped organizations take turns again, behind the others. */
  resume(): void {
    for (const organization of this.#skipped) this.#organizations.push(organization)
    this.#skipped = []
  }
}
