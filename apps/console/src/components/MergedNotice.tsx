import { listOf, rich, t } from "../language/Text.tsx"
import { Notice } from "./Notice.tsx"

/** The state of an entry of the history whose page shows what was merged when its definition was saved. */
export const mergedState = (paths: ReadonlyArray<string>): { readonly merged?: ReadonlyArray<string> } =>
  paths.length === 0 ? {} : { merged: [...new Set(paths)] }

/** Says what was merged when the definition of this page was saved. */
export const MergedNotice = () => {
  const { merged } = (history.state ?? {}) as ReturnType<typeof mergedState>
  return (
    merged !== undefined && (
      <Notice kind="info" role="status">
        <p>
          {t("Saved. Someone else has changed this definition in the meantime, and their changes are kept.")}
        </p>
        <p className="small">
          {rich("Changed by someone else: <paths></paths>", {
            paths: () => listOf(merged.map((path) => <code key={path}>{path}</code>)),
          })}
        </p>
      </Notice>
    )
  )
}
