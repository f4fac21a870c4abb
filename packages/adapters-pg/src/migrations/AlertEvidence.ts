/**
 * What was measured when an alert triggered, in a separate column that servers of the version before neither read nor replace;
 * alerts that they add have none.
 */
export const alertEvidence: ReadonlyArray<string> = [`ALTER TABLE alerts ADD COLUMN evidence text`]
