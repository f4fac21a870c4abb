/** Text for an element or a quoted attribute of HTML or XML. Characters that XML does not have become U+FFFD. */
export const escaped = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- XML has no other control characters
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu,
    (character) => (/[&<>"']/.test(character) ? `&#${character.charCodeAt(0)};` : "\ufffd"),
  )
