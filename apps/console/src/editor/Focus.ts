/** Focuses a field that is about to be rendered. */
export const focusLater = (id: string): void => afterRendering(() => document.getElementById(id)?.focus())

/** Focuses the first of some fields in the order of the page, once it is rendered. */
export const focusFirst = (ids: () => Iterable<string>): void =>
  afterRendering(() => {
    const [element] = [...ids()]
      .flatMap((id) => document.getElementById(id) ?? [])
      .toSorted((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
    // The editor of a template is in a shadow root.
    const editor = element?.shadowRoot?.querySelector<HTMLElement>("[contenteditable]")
    ;(editor ?? element)?.focus()
    element?.scrollIntoView({ block: "center" })
  })

const afterRendering = (act: () => void): void => {
  requestAnimationFrame(() => requestAnimationFrame(act))
}
