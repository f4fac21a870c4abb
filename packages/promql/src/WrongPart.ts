/** A part of a query is wrong. Is thrown within this folder only, as a query can be wrong anywhere. */
export class WrongPart extends Error {
  /** Where the part begins in the text. */
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}
