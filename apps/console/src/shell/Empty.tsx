import type { ReactNode } from "react"
import css from "./Empty.module.css"

/** Where a list would be: why there is nothing, and what to do. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={css.empty}>
    <h2>{title}</h2>
    {children}
  </div>
)
