import type { PolicyReachList } from "@tocsin/api"
import { api, poll } from "../api/Queries.ts"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import type { AlertPolicy } from "./PolicyValues.ts"

/** Whom the alerts of a policy notify. */
export type Reach = PolicyReachList["policies"][number]["reach"]

/** Whether the alert policies of the organization notify anyone. */
export const usePolicyReach = () =>
  api.useQuery("get", "/api/console/policy-reach", {}, { refetchInterval: poll(60_000) })

/** Whom policies notify: as the server knows it, and before that is read, by their own alert methods. */
export const useReach = (): ((policy: Pick<AlertPolicy, "metadata" | "spec">) => Reach) => {
  const policies = usePolicyReach().data?.policies
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
        {reach === "no_methods"
          ? t("No alert methods")
          : t("Alert methods are disabled, paused or without effect")}
      </div>
    </>
  )
