import { ActionIcon, Button, Group } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { useIsFetching } from "@tanstack/react-query"
import { type ReactNode, useCallback, useEffect, useState } from "react"
import { Link, useLocation, useSearch } from "wouter"
import { useActiveAlertCount } from "../api/Connection.ts"
import { Dialog } from "../components/Dialog.tsx"
import { Bell, Exit, Menu, Question, Search, Sidebar, Sliders } from "../components/Icon.tsx"
import { lazy } from "../components/Lazy.tsx"
import { t } from "../language/Text.tsx"
import { roleName, useSession } from "../session/Session.ts"
import { ConnectionBanner, ConnectionState } from "./ConnectionState.tsx"
import { helpAddress } from "./HelpPages.ts"
import { isKiosk, Kiosk } from "./Kiosk.tsx"
import { isWithin, navigation, type NavigationPage } from "./Navigation.tsx"
import { isApple, useShortcuts } from "./Shortcuts.ts"
import { chooseTimeZone, localTimeZone, timeZoneText, useTimeZone } from "../time/TimeZone.ts"
import { recordVisit } from "../visits/Visits.ts"
import css from "./Shell.module.css"

const Preferences = lazy(() => import("./Preferences.tsx"))
const Palette = lazy(() => import("./Palette.tsx"))
const ShortcutHelp = lazy(() => import("./ShortcutHelp.tsx"))

/** The palette opens at once when it is first needed. */
const preloadMs = 1_500

/** The frame of every page: the navigation, the state of the connection and the current user. */
export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const [path] = useLocation()
  const search = useSearch()
  const isPhone = useMediaQuery("(max-width: 820px)", false, { getInitialValueInEffect: false })
  const isLoading = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0
  const [dialog, setDialog] = useState<"palette" | "preferences" | "help">()
  useEffect(recordVisit, [path, search])
  const openPalette = useCallback(() => setDialog("palette"), [])
  const openHelp = useCallback(() => setDialog("help"), [])
  const openPreferences = useCallback(() => setDialog("preferences"), [])
  const close = (): void => setDialog(undefined)
  useShortcuts({ openPalette, openHelp })
  useEffect(() => {
    const timer = setTimeout(Palette.preload, preloadMs)
    return () => clearTimeout(timer)
  }, [])
  const dialogs = (
    <>
      {dialog === "palette" && <Palette onClose={close} onPreferences={openPreferences} onHelp={openHelp} />}
      {dialog === "preferences" && <Preferences onClose={close} onHelp={openHelp} />}
      {dialog === "help" && <ShortcutHelp onClose={close} />}
    </>
  )
  if (isKiosk(path, search)) {
    return (
      <Kiosk>
        {children}
        {dialogs}
      </Kiosk>
    )
  }
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        {t("Skip to content")}
      </a>
      {isPhone ? (
        <PhoneFrame path={path} onPreferences={openPreferences} onSearch={openPalette} />
      ) : (
        <Side path={path} onPreferences={openPreferences} onSearch={openPalette} />
      )}
      <div className={css.content}>
        <ConnectionBanner />
        <main id="content" className={css.main} tabIndex={-1} aria-busy={isLoading}>
          {children}
        </main>
      </div>
      {dialogs}
    </div>
  )
}

interface FrameProps {
  readonly path: string
  readonly onSearch: () => void
  readonly onPreferences: () => void
}

const railKey = "tocsin.navigation"

/** The navigation beside the page; narrow, it has only icons. */
const Side = ({ path, onSearch, onPreferences }: FrameProps) => {
  const isNarrow = useMediaQuery("(max-width: 1100px)", false, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useState(() => localStorage.getItem(railKey))
  const isRail = chosen === null ? isNarrow : chosen === "rail"
  const toggle = (): void => {
    const next = isRail ? "full" : "rail"
    localStorage.setItem(railKey, next)
    setChosen(next)
  }
  return (
    <header className={css.side} data-rail={isRail}>
      <div className={css.top}>
        <Brand />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={isRail ? t("Expand navigation") : t("Collapse navigation")}
          title={isRail ? t("Expand navigation") : t("Collapse navigation")}
          onClick={toggle}
        >
          <Sidebar />
        </ActionIcon>
      </div>
      <button
        type="button"
        className={css.search}
        aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
        title={t("Search and commands")}
        onClick={onSearch}
      >
        <Search />
        <span className={css.searchText}>{t("Search")}</span>
        <kbd className={css.searchKey}>{isApple ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <nav className={css.nav} aria-label={t("Pages")}>
        <Groups path={path} />
      </nav>
      <div className={css.foot}>
        <div className={css.states}>
          <ConnectionState />
          <TimeZoneSwitch />
        </div>
        <User onPreferences={onPreferences} />
      </div>
    </header>
  )
}

/** A bar above the page with the state, and one below with the most important pages and a menu of all. */
const PhoneFrame = ({ path, onSearch, onPreferences }: FrameProps) => {
  const [menuAt, setMenuAt] = useState<string>()
  const isMenu = menuAt === path
  const inBar = navigation().flatMap(({ pages }) => pages.filter(({ isInBar }) => isInBar))
  const close = (): void => setMenuAt(undefined)
  return (
    <>
      <header className={css.phoneTop}>
        <Brand />
        <Group gap="2xs">
          <ConnectionState />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t("Search and commands")}
            onClick={onSearch}
          >
            <Search />
          </ActionIcon>
        </Group>
      </header>
      <nav className={css.bar} aria-label={t("Pages")}>
        {inBar.map((page) => (
          <PageLink key={page.href} page={page} path={path} />
        ))}
        <button type="button" className={css.page} aria-haspopup="dialog" onClick={() => setMenuAt(path)}>
          <Menu />
          <span>{t("Menu")}</span>
        </button>
      </nav>
      {isMenu && (
        <Dialog
          title={t("Menu")}
          onClose={close}
          isSheet
          buttons={
            <Button variant="default" fullWidth onClick={close}>
              {t("Close")}
            </Button>
          }
        >
          <nav className={css.nav} aria-label={t("All pages")}>
            <Groups path={path} onNavigate={close} />
          </nav>
          <User
            onPreferences={() => {
              close()
              onPreferences()
            }}
          />
        </Dialog>
      )}
    </>
  )
}

const Brand = () => (
  <Link href="/" className={css.brand} aria-label={t("Tocsin: go to the home page")}>
    <Bell />
    <span className={css.brandName}>Tocsin</span>
  </Link>
)

const Groups = ({ path, onNavigate }: { readonly path: string; readonly onNavigate?: () => void }) =>
  navigation().map(({ name, pages }, at) => (
    <div key={at} className={css.group}>
      {name !== undefined && <div className={css.groupName}>{name}</div>}
      {pages.map((page) => (
        <PageLink key={page.href} page={page} path={path} onNavigate={onNavigate} />
      ))}
    </div>
  ))

const PageLink = ({
  page: { href, name, icon },
  path,
  onNavigate,
}: {
  readonly page: NavigationPage
  readonly path: string
  readonly onNavigate?: (() => void) | undefined
}) => (
  <Link
    href={href}
    className={css.page}
    title={name}
    aria-current={isWithin(path, href) ? "page" : undefined}
    onClick={onNavigate}
  >
    {icon}
    <span className={css.pageName}>{name}</span>
    {href === "/alerts" && <ActiveAlerts />}
  </Link>
)

const ActiveAlerts = () => {
  const count = useActiveAlertCount()
  if (count === undefined || count === 0) return null
  return (
    <span className={css.count}>
      <span aria-hidden="true">{count > 99 ? "99+" : count}</span>
      <span className="visually-hidden">
        {t("{count, plural, one {# open alert} other {# open alerts}}", { count })}
      </span>
    </span>
  )
}

const User = ({ onPreferences }: { readonly onPreferences: () => void }) => {
  const { organization, clientId, role, signOut } = useSession()
  const [path] = useLocation()
  return (
    <div className={css.who}>
      <div className={css.whoNames}>
        <strong title={organization}>{organization}</strong>
        <span className="dim" title={t("Client ID {clientId}", { clientId })}>
          {role === "viewer" ? t("Viewer (read-only)") : roleName(role)}
        </span>
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t("Preferences")}
        title={t("Preferences")}
        onClick={onPreferences}
      >
        <Sliders />
      </ActionIcon>
      <ActionIcon
        component="a"
        href={helpAddress(path)}
        target="_blank"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t("Help for this page")}
        title={t("Help for this page")}
      >
        <Question />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t("Sign out")}
        title={t("Sign out")}
        onClick={signOut}
      >
        <Exit />
      </ActionIcon>
    </div>
  )
}

/** The time zone of all times on the page; a click switches between the browser's time zone and UTC. */
const TimeZoneSwitch = () => {
  const timeZone = useTimeZone()
  const title =
    timeZone === "utc"
      ? t("Times are in UTC. Switch to {zone}", { zone: localTimeZone() })
      : t("Times are in {zone}. Switch to UTC", { zone: localTimeZone() })
  return (
    <button
      type="button"
      className={css.zone}
      aria-label={`${timeZoneText()}. ${title}`}
      title={title}
      onClick={() => chooseTimeZone(timeZone === "utc" ? "local" : "utc")}
    >
      {timeZoneText()}
    </button>
  )
}
