/** Where each entry of the history was scrolled to, so that Back restores it when the content is there. */
const storageKey = "tocsin.scroll"

/** The entries that are kept. */
const entriesMax = 100

/** How long content may take to appear that is tall enough. */
const patienceMs = 5_000

let positions = new Map<string, number>()
/** Where the entry that is returned to was scrolled; the page that is left may scroll while it is replaced. */
let returningTo: number | undefined
let restoring: AbortController | undefined

/** The key of the current entry, which is given one when it has none. */
const entryKey = (): string => {
  const { scrollKey } = (history.state ?? {}) as { readonly scrollKey?: string }
  if (scrollKey !== undefined) return scrollKey
  const key = crypto.randomUUID()
  history.replaceState({ ...(history.state as object | null), scrollKey: key }, "")
  return key
}

/** Starts to record positions. To be called once. */
export const recordScroll = (): void => {
  history.scrollRestoration = "manual"
  try {
    positions = new Map(JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as Array<[string, number]>)
  } catch {
    // Without positions, pages begin at their top.
  }
  const [loaded] = performance.getEntriesByType("navigation") as Array<PerformanceNavigationTiming>
  const recall = (): void => {
    returningTo = positions.get(entryKey())
  }
  if (loaded?.type === "reload" || loaded?.type === "back_forward") recall()
  addEventListener("popstate", recall)
  addEventListener("pushState", () => (returningTo = undefined))
  addEventListener("scroll", record, { passive: true })
  addEventListener("pagehide", () =>
    sessionStorage.setItem(storageKey, JSON.stringify([...positions].slice(-entriesMax))),
  )
}

const record = (): void => {
  if (restoring !== undefined) return
  const key = entryKey()
  positions.delete(key)
  positions.set(key, scrollY)
}

/** Scrolls a page that was just rendered to its top, or, on a return, to where it was. */
export const placeScroll = (): void => {
  restoring?.abort()
  restoring = undefined
  const wanted = returningTo
  returningTo = undefined
  if (wanted === undefined || wanted === 0) {
    scrollTo(0, 0)
    return
  }
  const stopped = new AbortController()
  restoring = stopped
  const stop = (): void => {
    stopped.abort()
    if (restoring === stopped) restoring = undefined
  }
  // The content may be longer after the next response.
  const resized = new ResizeObserver(() => {
    scrollTo(0, wanted)
    if (Math.abs(scrollY - wanted) < 2) stop()
  })
  stopped.signal.addEventListener("abort", () => resized.disconnect())
  // A user who scrolls meanwhile decides.
  for (const type of ["wheel", "touchstart", "keydown", "pointerdown"])
    addEventListener(type, stop, { passive: true, signal: stopped.signal })
  setTimeout(stop, patienceMs)
  resized.observe(document.body)
}
