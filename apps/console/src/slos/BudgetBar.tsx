import css from "./BudgetBar.module.css"

/**
 * What is left of an error budget, as a bar: as long as what is left, hatched all along when it is overspent. The number
 * stands beside it.
 */
export const BudgetBar = ({ fraction }: { readonly fraction: number }) => {
  const left = Math.min(1, Math.max(0, fraction))
  const kind = fraction <= 0 ? css.overspent : fraction < 0.2 ? css.low : css.good
  return (
    <span className={css.bar} aria-hidden="true">
      <span className={kind} style={{ width: fraction <= 0 ? "100%" : `${left * 100}%` }} />
    </span>
  )
}
