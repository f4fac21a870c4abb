const copied = [
  "font",
  "letterSpacing",
  "lineHeight",
  "tabSize",
  "textIndent",
  "paddingTop",
  "paddingRight",
  "paddingBottom",
  "paddingLeft",
  "borderTopWidth",
  "borderRightWidth",
  "borderBottomWidth",
  "borderLeftWidth",
  "direction",
] as const

/** Where a character of a textarea is drawn, from its top left corner, and how high its line is, in pixels. */
export const caretPlace = (
  area: HTMLTextAreaElement,
  at: number,
): { readonly left: number; readonly top: number; readonly lineHeight: number } => {
  const style = getComputedStyle(area)
  const mirror = document.createElement("div")
  for (const property of copied) mirror.style[property] = style[property]
  Object.assign(mirror.style, {
    position: "absolute",
    visibility: "hidden",
    boxSizing: "border-box",
    borderStyle: "solid",
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
    width: `${area.offsetWidth}px`,
  })
  mirror.textContent = area.value.slice(0, at)
  const marker = document.createElement("span")
  marker.textContent = area.value.slice(at) || "."
  mirror.append(marker)
  document.body.append(mirror)
  const { offsetLeft: left, offsetTop } = marker
  mirror.remove()
  const lineHeight = Number.parseFloat(style.lineHeight) || 20
  return { left, top: offsetTop - area.scrollTop, lineHeight }
}
