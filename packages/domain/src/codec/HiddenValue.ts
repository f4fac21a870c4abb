/** Replaces a secret in a document that is read; in one that is applied, it keeps the stored secret. */
export const hiddenValue = "[hidden]"
