import { useEffect } from "react"
import { navigate } from "wouter/use-browser-location"
import { refreshNow } from "../api/Connection.ts"
import { t } from "../language/Text.tsx"
import { navigation } from "./Navigation.tsx"
import { rowBeside, rowLinks } from "../visits/Visits.ts"

const storageKey = "tocsin.shortcuts"

/** Whether single keys do anything; a user whose speech or hand presses keys by chance turns them off. */
export const areShortcutsOn = (): boolean => localStorage.getItem(storageKey) !== "off"

export const turnShortcuts = (isOn: boolean): void => {
  if (isOn) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, "off")
}

/** What the shell opens on a key. */
export interface ShortcutTargets {
  readonly openPalette: () => void
  readonly openHelp: () => void
}

/** The keys with what they do, for the help. */
export const shortcutHelp = (): ReadonlyArray<{
  readonly name: string
  readonly keys: ReadonlyArray<readonly [keys: string, effect: string]>
}> => [
  {
    name: t("Anywhere"),
    keys: [
      [isApple ? "⌘ K" : "Ctrl K", t("Search and run commands")],
      ["/", t("Search in the list, or everywhere")],
      ["r", t("Refresh now")],
      ["?", t("Show these shortcuts")],
      ["Esc", t("Close, or leave kiosk mode")],
    ],
  },
  {
    name: t("Lists and pages"),
    keys: [
      ["j", t("Next row")],
      ["k", t("Previous row")],
      ["Enter", t("Open the row")],
      ["]", t("Next item of the list")],
      ["[", t("Previous item of the list")],
    ],
  },
  {
    name: t("Go to"),
    keys: navigation().flatMap(({ pages }) =>
      pages.flatMap(({ key, name }) => (key === undefined ? [] : [[`g ${key}`, name] as const])),
    ),
  },
]

export const isApple = /mac|iphone|ipad/i.test(navigator.platform)

/** The time between `g` and the key of a page. */
const sequenceMs = 1_500

/** Handles the keys of the whole console, except while the user types or a dialog is open. */
export const useShortcuts = ({ openPalette, openHelp }: ShortcutTargets): void => {
  useEffect(() => {
    let goAt = -Infinity
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault()
        openPalette()
        return
      }
      if (event.metaKey || event.ctrlKey || event.altKey || !areShortcutsOn()) return
      if (isTyping(event) || document.querySelector("dialog[open]") !== null) return
      const isAfterGo = event.timeStamp - goAt < sequenceMs
      goAt = -Infinity
      if (isAfterGo) {
        const page = navigation()
          .flatMap(({ pages }) => pages)
          .find(({ key }) => key === event.key)
        if (page !== undefined) {
          event.preventDefault()
          navigate(page.href)
        }
        return
      }
      if (event.key === "g") {
        goAt = event.timeStamp
        return
      }
      const effect = effects({ openPalette, openHelp })[event.key]
      if (effect === undefined) return
      event.preventDefault()
      effect()
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [openPalette, openHelp])
}

const effects = ({
  openPalette,
  openHelp,
}: ShortcutTargets): Readonly<Record<string, (() => void) | undefined>> => ({
  "?": openHelp,
  "/": () => {
    const search = document.querySelector<HTMLInputElement>("main input[type=search]")
    if (search === null) openPalette()
    else search.select()
    search?.focus()
  },
  r: () => void refreshNow(),
  j: () => focusRow(1),
  k: () => focusRow(-1),
  "]": () => openBeside(1),
  "[": () => openBeside(-1),
})

const focusRow = (step: number): void => {
  const links = rowLinks()
  const at = links.findIndex((link) => link === document.activeElement)
  const next = at < 0 ? links[step > 0 ? 0 : links.length - 1] : links[at + step]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

const openBeside = (step: number): void => {
  const href = rowBeside(step)
  if (href !== undefined) navigate(href)
}

/** Whether a key belongs to the element that has the focus. */
const isTyping = (event: KeyboardEvent): boolean => {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("input, textarea, select, [role=textbox], [role=combobox], [role=listbox]"))
  )
}
