/**
 * Untrusted text without control characters, which could change the terminal's content or send keys: they are replaced
 * with `�`, except line breaks and tabs.
 */
export const terminalText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
