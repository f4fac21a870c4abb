import { escaped } from "../frame/Escaped.ts"

/** A description, in which `code` is between grave accents. */
export const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

export const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** A name for the fragment of an address. */
export const anchor = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
