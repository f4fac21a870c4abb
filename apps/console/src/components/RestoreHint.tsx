import { t } from "../language/Text.tsx"

/** Says in a confirmation of a deletion how to undo it. */
export const RestoreHint = () => (
  <p className="dim">
    {t("The definition can be restored for 30 days, under “Recently deleted” in the navigation.")}
  </p>
)
