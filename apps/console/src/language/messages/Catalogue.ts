/** English messages with their translations. */
export type Catalogue = Readonly<Record<string, string>>
