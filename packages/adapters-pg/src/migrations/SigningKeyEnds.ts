/** A retired key of the server whose successor was revoked stays listed for a day after it stopped signing, and no longer. */
export const signingKeyEnds: ReadonlyArray<string> = [
  `-- When a retired key stopped signing, if the key that replaced it was revoked.
ALTER TABLE signing_keys ADD COLUMN ends_at bigint`,
]
