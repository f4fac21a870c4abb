import type { ReactNode } from "react"
import {
  Check,
  Database,
  Flame,
  Gauge,
  Home,
  Hook,
  Key,
  Layers,
  Mute,
  Person,
  Rule,
  Scales,
  Send,
  Siren,
  Trash,
} from "../components/Icon.tsx"
import { t } from "../language/Text.tsx"

/** A page in the navigation. */
export interface NavigationPage {
  readonly href: string
  readonly name: string
  readonly icon: ReactNode
  /** Pressed after `g`, it opens the page. */
  readonly key?: string
  /** The page that creates one, and its name in the palette; only editors are offered it. */
  readonly create?: readonly [href: string, name: string]
  /** Has a place in the bar of a phone, which has room for four. */
  readonly isInBar?: boolean
}

/** Pages that belong together; the first group has no name. */
export interface NavigationGroup {
  readonly name?: string
  readonly pages: ReadonlyArray<NavigationPage>
}

/** The pages of the navigation in their order. A new page is a line. */
export const navigation = (): ReadonlyArray<NavigationGroup> => [
  {
    name: t("Reliability"),
    pages: [
      { href: "/", name: t("Home"), icon: <Home />, key: "h", isInBar: true },
      {
        href: "/slos",
        name: t("SLOs"),
        icon: <Gauge />,
        key: "s",
        isInBar: true,
        create: ["/slos/new", t("Create SLO")],
      },
      {
        href: "/services",
        name: t("Services"),
        icon: <Layers />,
        key: "v",
        create: ["/services/new", t("Create service")],
      },
      {
        href: "/budget-adjustments",
        name: t("Budget adjustments"),
        icon: <Scales />,
        key: "b",
        create: ["/budget-adjustments/new", t("Create budget adjustment")],
      },
      {
        href: "/reviews",
        name: t("Reviews"),
        icon: <Rule />,
        create: ["/reviews?create=", t("Create review")],
      },
      { href: "/saved-reports", name: t("Saved reports"), icon: <Layers /> },
    ],
  },
  {
    name: t("Alerting"),
    pages: [
      { href: "/alerts", name: t("Alerts"), icon: <Siren />, key: "a", isInBar: true },
      { href: "/incidents", name: t("Incidents"), icon: <Flame />, key: "n" },
      {
        href: "/alert-policies",
        name: t("Alert policies"),
        icon: <Rule />,
        key: "p",
        create: ["/alert-policies/new", t("Create alert policy")],
      },
      { href: "/alert-coverage", name: t("Alert coverage"), icon: <Check /> },
      {
        href: "/silences",
        name: t("Silences"),
        icon: <Mute />,
        key: "i",
        create: ["/silences/new", t("Create silence")],
      },
      {
        href: "/alert-methods",
        name: t("Alert methods"),
        icon: <Hook />,
        key: "m",
        create: ["/alert-methods/new", t("Create alert method")],
      },
      { href: "/deliveries", name: t("Deliveries"), icon: <Send />, key: "d" },
    ],
  },
  {
    name: t("Data"),
    pages: [
      {
        href: "/data-sources",
        name: t("Data sources"),
        icon: <Database />,
        key: "u",
        create: ["/data-sources/new", t("Create data source")],
      },
    ],
  },
  {
    name: t("Settings"),
    pages: [
      { href: "/credentials", name: t("Credentials"), icon: <Person />, key: "c" },
      { href: "/signing", name: t("Signing"), icon: <Key />, key: "k" },
      { href: "/deleted", name: t("Recently deleted"), icon: <Trash /> },
    ],
  },
]

/** Whether a path is a page's path or below it. */
export const isWithin = (path: string, href: string): boolean =>
  path === href || (href !== "/" && path.startsWith(`${href}/`))
