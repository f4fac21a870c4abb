/** Text for an element or a quoted attribute. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A description, in which `code` is between grave accents. */
export const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

export const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** A name for the fragment of an address. */
export const anchor = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
