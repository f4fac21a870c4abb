/**
 * What stands in the place of a secret when a definition is read, and means "what is stored" when it is applied.
 *
 * Source: decision 0104.
 */
export const hiddenValue = "[hidden]"
