import { Group, Paper, Stack } from "@mantine/core"
import { type ReactNode, useEffect, useRef } from "react"
import { Link } from "wouter"
import { t } from "../language/Text.tsx"
import { placeScroll } from "../visits/Scroll.ts"
import { lastVisit, recordRecent } from "../visits/Visits.ts"
import { MergedNotice } from "./MergedNotice.tsx"
import css from "./Page.module.css"

/** A page above the current one. */
export interface Crumb {
  readonly href: string
  readonly text: string
}

/** A page: its heading, its actions and its content. */
export const Page = ({
  title,
  tabTitle = title,
  subtitle,
  back,
  actions,
  children,
}: {
  readonly title: string
  /** In the tab of the browser, if it says more than the title. */
  readonly tabTitle?: string
  readonly subtitle?: ReactNode
  /** The pages above this one, the nearest last. */
  readonly back?: Crumb | ReadonlyArray<Crumb>
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${tabTitle} – Tocsin`
  }, [tabTitle])
  useEffect(() => recordRecent(title), [title])
  useEffect(() => {
    // Makes screen readers announce the new page; the browser announces the first one.
    if (wasPageShown) heading.current?.focus({ preventScroll: true })
    wasPageShown = true
    placeScroll()
  }, [])
  return (
    <Stack gap="lg">
      <header>
        {back !== undefined && <Breadcrumbs above={[back].flat()} title={title} />}
        <Group justify="space-between" gap="sm" mt="2xs">
          <Stack gap="2xs" miw={0}>
            <h1 ref={heading} tabIndex={-1}>
              <bdi>{title}</bdi>
            </h1>
            <Group className="dim" gap="var(--space-2xs) var(--space-sm)">
              {subtitle}
            </Group>
          </Stack>
          <Group gap="xs" className="page-actions">
            {actions}
          </Group>
        </Group>
      </header>
      <MergedNotice />
      {children}
    </Stack>
  )
}

let wasPageShown = false

/** The way to the current page. A list keeps the filters that it was left with. */
const Breadcrumbs = ({ above, title }: { readonly above: ReadonlyArray<Crumb>; readonly title: string }) => (
  <nav aria-label={t("Breadcrumbs")} className="breadcrumbs">
    <ol className={css.crumbs}>
      {above.map(({ href, text }) => (
        <li key={href}>
          <Link href={lastVisit(href)}>
            <bdi>{text}</bdi>
          </Link>
        </li>
      ))}
      <li aria-current="page">
        <bdi>{title}</bdi>
      </li>
    </ol>
  </nav>
)

/** A section of a page. */
export const Card = ({
  title,
  aside,
  children,
}: {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}) => (
  <Paper component="section" p="md" miw={0}>
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <h2>{title}</h2>
        {aside}
      </Group>
      {children}
    </Stack>
  </Paper>
)

/** The properties of something as pairs of name and value. */
export const DescriptionList = ({
  properties,
}: {
  /** A pair without a value is left out. */
  readonly properties: ReadonlyArray<readonly [name: string, value: ReactNode]>
}) => (
  <dl className="description-list">
    {properties.map(
      ([name, value], at) =>
        value !== undefined && (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)
