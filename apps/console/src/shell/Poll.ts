/** How often a page that is looked at reads anew what can change by itself. */
export const pollMs = 3_000
