import { useColorScheme } from "./ColorScheme.ts"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData } from "@tanstack/react-query"
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import { useLocation, useSearch } from "wouter"
import { shownName } from "../components/ObjectName.ts"
import type { Listed } from "../lists/DefinitionList.tsx"
import { pageOf } from "../editor/DefinitionPages.ts"
import { useAlerts, useDocuments } from "../api/Definitions.ts"
import { refreshNow } from "../api/Connection.ts"
import { api } from "../api/Queries.ts"
import {
  Clock,
  Database,
  Gauge,
  Hook,
  Layers,
  Mute,
  Plus,
  Refresh,
  Rule,
  Scales,
  Search,
  Siren,
  Sliders,
} from "../components/Icon.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import { chooseTimeZone, useTimeZone } from "../time/TimeZone.ts"
import { kioskAddress } from "./Kiosk.tsx"
import { navigation } from "./Navigation.tsx"
import { matching, type PaletteItem } from "./PaletteMatch.ts"
import { recentPages } from "../visits/Visits.ts"
import css from "./Palette.module.css"

/** How many items of each group are listed. */
const itemsMax = 6

/** A search on the server begins after this pause in typing. */
const pauseMs = 80

/** How long lists are kept before they are read again. */
const staleMs = 60_000

interface Item extends PaletteItem {
  readonly icon: ReactNode
  /** The address that it opens, or what it does. */
  readonly target: string | (() => void)
}

interface Group {
  readonly name: string
  readonly items: ReadonlyArray<Item>
}

/** Finds pages, objects and actions by parts of their names, and opens or runs them. */
const Palette = ({
  onClose,
  onPreferences,
  onHelp,
}: {
  readonly onClose: () => void
  readonly onPreferences: () => void
  readonly onHelp: () => void
}) => {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState("")
  const [selectedId, setSelectedId] = useState<string>()
  const { groups, isSearching } = useGroups(query.trim(), { onPreferences, onHelp })
  const items = groups.flatMap((group) => group.items)
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === selectedId),
  )
  const selected = items[at]
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const optionId = (id: string): string => `${listId} ${id}`.replaceAll(/\s/g, "-")

  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  const activeId = selected && optionId(selected.id)
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" })
  }, [activeId])

  const run = ({ target }: Item): void => {
    onClose()
    if (typeof target === "string") navigate(target)
    else target()
  }
  const press = (event: KeyboardEvent): void => {
    const last = items.length - 1
    const next = {
      ArrowDown: at < last ? at + 1 : 0,
      ArrowUp: at > 0 ? at - 1 : last,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    }[event.key]
    if (next !== undefined) {
      event.preventDefault()
      setSelectedId(items[next]?.id)
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing && selected !== undefined) {
      event.preventDefault()
      run(selected)
    }
  }
  return (
    <dialog
      ref={dialog}
      className={css.palette}
      aria-label={t("Search and commands")}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose()
      }}
    >
      <div className={css.inner}>
        <div className={css.search}>
          <Search />
          <input
            className={css.input}
            role="combobox"
            type="text"
            autoFocus
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            aria-label={t("Search and commands")}
            aria-expanded={items.length > 0}
            aria-controls={listId}
            aria-activedescendant={activeId}
            aria-autocomplete="list"
            placeholder={t("Search SLOs, alerts, pages and actions")}
            value={query}
            onChange={({ currentTarget }) => {
              setQuery(currentTarget.value)
              setSelectedId(undefined)
            }}
            onKeyDown={press}
          />
          <kbd className={css.key}>Esc</kbd>
        </div>
        <div
          id={listId}
          role="listbox"
          aria-label={t("Results")}
          className={css.list}
          aria-busy={isSearching}
        >
          {groups.map(({ name, items: members }) => (
            <div key={name} role="group" aria-label={name}>
              <div className={css.groupName} aria-hidden="true">
                {name}
              </div>
              {members.map((item) => (
                <div
                  key={item.id}
                  id={optionId(item.id)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={item === selected}
                  className={css.item}
                  onPointerMove={() => setSelectedId(item.id)}
                  onClick={() => run(item)}
                >
                  {item.icon}
                  <span className={css.text}>
                    <bdi>{item.text}</bdi>
                  </span>
                  {item.detail !== undefined && <span className={css.detail}>{item.detail}</span>}
                </div>
              ))}
            </div>
          ))}
        </div>
        <div role="status" className={items.length === 0 ? css.empty : "visually-hidden"}>
          {items.length > 0
            ? t("{count, plural, one {# result} other {# results}}", { count: items.length })
            : isSearching
              ? t("Searching…")
              : t("Nothing matches “{query}”.", { query })}
        </div>
      </div>
    </dialog>
  )
}
export default Palette

const useGroups = (
  query: string,
  dialogs: { readonly onPreferences: () => void; readonly onHelp: () => void },
): { readonly groups: ReadonlyArray<Group>; readonly isSearching: boolean } => {
  const isEmpty = query === ""
  const [searched] = useDebouncedValue(query, pauseMs)
  const options = { staleTime: staleMs, refetchInterval: () => false as const }
  const slos = api.useQuery(
    "get",
    "/api/console/slos",
    { params: { query: { search: searched, limit: itemsMax } } },
    { ...options, enabled: searched !== "", placeholderData: keepPreviousData },
  )
  const services = useDocuments("services", {}, options)
  const methods = useDocuments("alertmethods", {}, options)
  const sources = useDocuments("datasources", {}, options)
  const silences = useDocuments("alertsilences", {}, options)
  const policies = useDocuments("alertpolicies", {}, options)
  const adjustments = useDocuments("budgetadjustments", {}, options)
  const alerts = useAlerts({ status: ["triggered"], limit: 100 }, staleMs)
  const actions = useActions(dialogs)

  const documents = (kind: string, icon: ReactNode, data: ReadonlyArray<Listed> = []): ReadonlyArray<Item> =>
    data.map((definition) => {
      const { name, project = "default", displayName } = definition.metadata
      return {
        id: `${kind} ${project}/${name}`,
        text: displayName || name,
        detail: displayName && displayName !== name ? `${project} / ${name}` : project,
        icon,
        target: pageOf(definition) ?? "/",
      }
    })
  const found = (name: string, items: ReadonlyArray<Item>): Group => ({
    name,
    items: isEmpty ? [] : matching(query, items, itemsMax),
  })
  const pages = navigation()
    .flatMap((group) => group.pages)
    .map(({ href, name, icon }) => ({ id: `page ${href}`, text: name, icon, target: href }))
  const recent = recentPages()
    .filter(({ href }) => href !== location.pathname)
    .map(({ href, text }) => ({
      id: `recent ${href}`,
      text,
      detail: kindOf(href),
      icon: <Clock />,
      target: href,
    }))
  const isFound = query === searched && !slos.isPlaceholderData
  const foundSlos = (slos.data?.data ?? []).map(({ name, displayName, project, service }) => ({
    id: `slo ${project.name}/${name}`,
    text: displayName || name,
    detail: `${project.displayName || project.name} / ${service.displayName || service.name}`,
    words: name,
    icon: <Gauge />,
    target: `/slos/${project.name}/${name}`,
  }))
  const groups: ReadonlyArray<Group> = [
    { name: t("Recent"), items: isEmpty ? recent : matching(query, recent, 3) },
    { name: t("Pages"), items: isEmpty ? pages : matching(query, pages, itemsMax) },
    {
      name: t("SLOs"),
      // Until the response, those of what was typed before that still match.
      items: isEmpty ? [] : isFound ? foundSlos : matching(query, foundSlos, itemsMax),
    },
    found(
      t("Open alerts"),
      (alerts.items ?? []).map(({ metadata, spec }) => ({
        id: `alert ${metadata.name}`,
        text: shownName(spec.slo),
        words: spec.slo.name,
        detail: spec.conditionTexts[0],
        icon: <Siren />,
        target: `/alerts/${encodeURIComponent(metadata.name)}`,
      })),
    ),
    found(t("Services"), documents("service", <Layers />, services.data)),
    found(t("Alert methods"), documents("method", <Hook />, methods.data)),
    found(t("Alert policies"), documents("policy", <Rule />, policies.data)),
    found(t("Data sources"), documents("source", <Database />, sources.data)),
    found(t("Silences"), documents("silence", <Mute />, silences.data)),
    found(t("Budget adjustments"), documents("adjustment", <Scales />, adjustments.data)),
    { name: t("Actions"), items: isEmpty ? actions : matching(query, actions, itemsMax) },
  ]
  const recentTargets = new Set(groups[0]?.items.map(({ target }) => target))
  return {
    groups: groups
      // What is under "Recent" is not repeated.
      .map((group, at) => ({
        ...group,
        items: at === 0 ? group.items : group.items.filter(({ target }) => !recentTargets.has(target)),
      }))
      .filter(({ items }) => items.length > 0),
    isSearching: !isEmpty && !isFound,
  }
}

const useActions = ({
  onPreferences,
  onHelp,
}: {
  readonly onPreferences: () => void
  readonly onHelp: () => void
}): ReadonlyArray<Item> => {
  const isEditor = useIsEditor()
  const { signOut } = useSession()
  const [path] = useLocation()
  const search = useSearch()
  const timeZone = useTimeZone()
  const { setColorScheme } = useColorScheme()
  const set = (id: string, text: string, target: () => void): Item => ({
    id,
    text,
    icon: <Sliders />,
    target,
  })
  return [
    ...navigation().flatMap(({ pages }) =>
      pages.flatMap(({ create }) =>
        isEditor && create !== undefined
          ? [{ id: `create ${create[0]}`, text: create[1], icon: <Plus />, target: create[0] }]
          : [],
      ),
    ),
    { id: "refresh", text: t("Refresh now"), icon: <Refresh />, target: () => void refreshNow() },
    set("dark", t("Switch to dark mode"), () => setColorScheme("dark")),
    set("light", t("Switch to light mode"), () => setColorScheme("light")),
    set("system", t("Use the theme of the system"), () => setColorScheme("auto")),
    timeZone === "utc"
      ? set("local", t("Show times in the local time zone"), () => chooseTimeZone("local"))
      : set("utc", t("Show times in UTC"), () => chooseTimeZone("utc")),
    { id: "kiosk", text: t("Open kiosk mode"), icon: <Gauge />, target: kioskAddress(path, search) },
    set("preferences", t("Preferences"), onPreferences),
    set("shortcuts", t("Keyboard shortcuts"), onHelp),
    set("sign-out", t("Sign out"), () => void signOut()),
  ]
}

/** The name of the list that an object's page is below. */
const kindOf = (href: string): string | undefined =>
  navigation()
    .flatMap(({ pages }) => pages)
    .find((page) => page.href !== "/" && href.startsWith(`${page.href}/`))?.name
