import { type ReactNode, useEffect, useRef } from "react"
import { Link } from "wouter"
import { ChevronLeft } from "./Icon.tsx"
import css from "./Page.module.css"

/** A page: its heading, its actions and its content. */
export const Page = ({
  title,
  subtitle,
  back,
  actions,
  children,
}: {
  readonly title: string
  readonly subtitle?: ReactNode
  readonly back?: { readonly href: string; readonly text: string }
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Tocsin`
  }, [title])
  useEffect(() => {
    // Makes screen readers announce the new page; the browser announces the first one.
    if (wasPageShown) heading.current?.focus({ preventScroll: true })
    wasPageShown = true
    window.scrollTo(0, 0)
  }, [])
  return (
    <div className={css.page}>
      {back !== undefined && (
        <Link href={back.href} className={css.back}>
          <ChevronLeft /> {back.text}
        </Link>
      )}
      <header className={css.header}>
        <div className={css.titles}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {subtitle !== undefined && <div className={css.subtitle}>{subtitle}</div>}
        </div>
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

let wasPageShown = false

/** A section of a page. */
export const Card = ({
  title,
  aside,
  children,
}: {
  readonly title?: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}) => (
  <section className={css.card}>
    {title !== undefined && (
      <div className={css.cardHeader}>
        <h2>{title}</h2>
        {aside}
      </div>
    )}
    {children}
  </section>
)
