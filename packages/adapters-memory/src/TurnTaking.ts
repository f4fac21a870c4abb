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
  /** Organizations that were passed over. */
  #passed: Array<string> = []

  /** Whether nobody waits but items of organizations that were passed over. */
  get isEmpty(): boolean {
    return this.#organizations.size === 0
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

  /**
   * Takes the item whose turn it is; its organization is behind all others then. An organization that has no room is
   * passed over until `resume`.
   */
  next(hasCapacity: (organization: string) => boolean = () => true): Item | undefined {
    let organization = this.#organizations.shift()
    while (organization !== undefined && !hasCapacity(organization)) {
      this.#passed.push(organization)
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

  /** Lets the organizations that were passed over take turns again, behind the others. */
  resume(): void {
    for (const organization of this.#passed) this.#organizations.push(organization)
    this.#passed = []
  }
}
