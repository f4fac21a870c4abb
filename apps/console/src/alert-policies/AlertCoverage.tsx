import { api, poll } from "../api/Queries.ts"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import type { AlertPolicy } from "./PolicyValues.ts"

/** How often the coverage is read again. */
const refreshMs = 30_000

/** Which SLOs and alert policies notify nobody. */
export const useCoverage = () =>
  api.useQuery("get", "/api/console/alert-coverage", {}, { refetchInterval: poll(refreshMs) })

/** Whom the alerts of a policy notify. */
export type Reach = NonNullable<ReturnType<typeof useCoverage>["data"]>["policies"][number]["reach"]

/** Whom policies notify: by the coverage, and before that is read, by their own alert methods. */
export const useReach = (): ((policy: Pick<AlertPolicy, "metadata" | "spec">) => Reach) => {
  const policies = useCoverage().data?.policies
  return ({ metadata, spec }) =>
    (spec.alertMethods ?? []).length + (spec.then ?? []).length === 0
      ? "no_methods"
      : (policies?.find(({ policy }) => policy.name === metadata.name && policy.project === metadata.project)
          ?.reach ?? "notifies")
}

/** That a policy notifies nobody, and why; nothing of one that notifies someone. */
export const SilentReach = ({ reach }: { readonly reach: Reach }) =>
  reach !== "notifies" && (
    <>
      <StatusBadge status="silent" />
      <div className="dim small">
        {reach === "no_methods" ? t("No alert methods") : t("Alert methods are disabled or paused")}
      </div>
    </>
  )
