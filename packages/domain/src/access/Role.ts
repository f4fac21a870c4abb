/** What a credential may do: a viewer reads, an editor also changes. Source: decision 0600. */
export type Role = (typeof roles)[number]

/** The roles, from the one that may do least to the one that may do most. */
export const roles = ["viewer", "editor"] as const

/** Whether a holder of the role may do what needs another one. Source: decision 0600. */
export const roleCovers = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed)
