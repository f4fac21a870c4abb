import type { ReactNode } from "react"
import css from "./Facts.module.css"

/** What is to know of something, a name and a value each. */
export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <dl className={css.facts}>{children}</dl>
)

/** One of the facts. */
export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)
