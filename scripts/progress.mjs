// Shows the progress of long steps. It has no dependencies: it runs before any are installed.
const firstMs = 500
const everyMs = process.stderr.isTTY ? 500 : 3_000

/** Prints `text()` until `work` ends, unless it ends at once: on a terminal in one line, else in a line every 3 s. */
export async function withProgress(text, work) {
  const show = () => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text()}` : `${text()}\n`)
  let isShown = false
  let timer = setTimeout(function next() {
    isShown = true
    show()
    timer = setTimeout(next, everyMs)
  }, firstMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (isShown && process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  }
}
