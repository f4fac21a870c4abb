import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { useIsFetching } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { Bell, Database, Exit, Gauge, Hook, Key, Moon, Send, Siren, Sun } from "../components/Icon.tsx"
import { useSession } from "../session/Session.ts"
import css from "./Shell.module.css"

/** The frame of every page: the navigation and the current user. */
export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const { organization, clientId, role, signOut } = useSession()
  const [path] = useLocation()
  const isLoading = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        Skip to content
      </a>
      <header className={css.side}>
        <Link href="/slos" className={css.brand} aria-label="Tocsin: go to SLOs">
          <Bell />
          <span className={css.brandName}>Tocsin</span>
        </Link>
        <nav className={css.nav} aria-label="Pages">
          {pages.map(({ href, name, icon }) => (
            <Link
              key={href}
              href={href}
              className={css.page}
              aria-current={path.startsWith(href) ? "page" : undefined}
            >
              {icon}
              <span>{name}</span>
            </Link>
          ))}
        </nav>
        <div className={css.who}>
          <div className={css.whoNames}>
            <strong title={organization}>{organization}</strong>
            <span className="dim" title={`Client ID ${clientId}`}>
              {role === "editor" ? "Editor" : "Viewer (read-only)"}
            </span>
          </div>
          <ColorScheme />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label="Sign out"
            title="Sign out"
            onClick={signOut}
          >
            <Exit />
          </ActionIcon>
        </div>
      </header>
      <main id="content" className={css.main} tabIndex={-1} aria-busy={isLoading}>
        {children}
      </main>
    </div>
  )
}

const pages = [
  { href: "/slos", name: "SLOs", icon: <Gauge /> },
  { href: "/data-sources", name: "Data sources", icon: <Database /> },
  { href: "/alerts", name: "Alerts", icon: <Siren /> },
  { href: "/deliveries", name: "Deliveries", icon: <Send /> },
  { href: "/alert-methods", name: "Alert methods", icon: <Hook /> },
  { href: "/signing", name: "Signing", icon: <Key /> },
]

const ColorScheme = () => {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false })
  const other = scheme === "dark" ? "light" : "dark"
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={`Switch to ${other} mode`}
      title={`Switch to ${other} mode`}
      onClick={() => setColorScheme(other)}
    >
      {scheme === "dark" ? <Sun /> : <Moon />}
    </ActionIcon>
  )
}
