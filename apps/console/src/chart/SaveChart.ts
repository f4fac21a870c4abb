/** Saves text as a file. */
export const saveText = (fileName: string, type: string, text: string): void =>
  saveBlob(fileName, new Blob([text], { type: `${type};charset=utf-8` }))

/**
 * Rows as CSV by RFC 4180. A text that a spreadsheet would take for a formula is preceded by an apostrophe.
 */
export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string | number | null>>): string =>
  rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("")

const cellText = (cell: string | number | null): string => {
  if (cell === null) return ""
  if (typeof cell === "number") return String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const titleHeight = 52
const margin = 16

/** Saves a chart as a PNG file with a title, in the colors of the page and at twice its size. */
export const saveChart = async (
  svg: SVGSVGElement,
  {
    title,
    subtitle,
    fileName,
  }: { readonly title: string; readonly subtitle: string; readonly fileName: string },
): Promise<void> => {
  const { width, height } = svg.getBoundingClientRect()
  const page = getComputedStyle(document.body)
  const image = new Image()
  // The content security policy allows images as data.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standaloneText(svg))}`
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = 2 * (width + 2 * margin)
  canvas.height = 2 * (height + titleHeight + margin)
  const context = canvas.getContext("2d")
  if (context === null) return
  context.scale(2, 2)
  context.fillStyle = page.getPropertyValue("--surface")
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = page.color
  context.font = `600 15px ${page.fontFamily}`
  context.fillText(title, margin, 26, width)
  context.fillStyle = page.getPropertyValue("--dim") || page.color
  context.font = `13px ${page.fontFamily}`
  context.fillText(subtitle, margin, 44, width)
  context.drawImage(image, margin, titleHeight, width, height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"))
  if (blob !== null) saveBlob(fileName, blob)
}

/** The text of an SVG that needs no style sheet, without what belongs to reading it. */
const standaloneText = (svg: SVGSVGElement): string => {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const originals = [svg, ...svg.querySelectorAll("*")]
  const copies = [copy, ...copy.querySelectorAll("*")]
  for (const [at, original] of originals.entries()) {
    const style = getComputedStyle(original)
    for (const name of styles) copies[at]?.setAttribute(name, style.getPropertyValue(name))
  }
  for (const each of copy.querySelectorAll("[data-aside]")) each.remove()
  return new XMLSerializer().serializeToString(copy)
}

const styles = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
]

const saveBlob = (fileName: string, blob: Blob): void => {
  const link = document.createElement("a")
  const url = URL.createObjectURL(blob)
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
