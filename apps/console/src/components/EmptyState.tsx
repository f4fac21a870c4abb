import type { ReactNode } from "react"
import css from "./EmptyState.module.css"

/** Takes the place of an empty list: what will appear here, and how to add the first item. */
export const EmptyState = ({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) => (
  <div className={css.empty}>
    <h2>{title}</h2>
    {children}
  </div>
)
