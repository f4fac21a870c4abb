import type { ReactNode } from "react"
import css from "./DescriptionList.module.css"

/** The properties of something, each a name and a value. */
export const DescriptionList = ({ children }: { readonly children: ReactNode }) => (
  <dl className={css.facts}>{children}</dl>
)

/** One property. */
export const Property = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)
