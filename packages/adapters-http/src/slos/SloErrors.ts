import type { CountsAreInvalid, MetricsAreInvalid, SloNotFound } from "@tocsin/domain"
import type { AlertPolicyNotFound, BacktestIsInvalid } from "@tocsin/domain/features/backtest"
import type {
  IndicatorTestIsInvalid,
  BackfillIsInvalid,
  BackfillIsNotResumable,
  BackfillNotFound,
} from "@tocsin/domain/features/data-source"
import type { IndicatorNotFound, BackfillIsRunning } from "@tocsin/domain/ports"
import { checkNameAndProject, invalidBody, oneError, type StatusTable } from "../frame/ErrorResponse.ts"

export const sloErrors: StatusTable<
  | SloNotFound
  | AlertPolicyNotFound
  | IndicatorNotFound
  | IndicatorTestIsInvalid
  | BackfillIsInvalid
  | BackfillIsNotResumable
  | BackfillIsRunning
  | BackfillNotFound
  | CountsAreInvalid
  | MetricsAreInvalid
  | BacktestIsInvalid
> = {
  SloNotFound: ({ project, name }) =>
    oneError(404, {
      title: "SLO not found",
      code: "slo_not_found",
      detail: `The project ${project} has no SLO with this name. ${checkNameAndProject}`,
      source: { propertyName: "sloName", propertyValue: name },
    }),
  AlertPolicyNotFound: ({ project, name }) =>
    oneError(404, {
      title: "Alert policy not found",
      code: "alert_policy_not_found",
      detail:
        name === ""
          ? "Specify the name of an alert policy of the project in alertPolicy."
          : `The project ${project} has no alert policy with this name. ${checkNameAndProject}`,
      source: { propertyName: "alertPolicy", propertyValue: name },
    }),
  IndicatorNotFound: ({ project, name }) =>
    oneError(404, {
      title: "Indicator not found",
      code: "indicator_not_found",
      detail: `The SLO in the project ${project} has no indicator: its counts are recorded over the API. Add spec.indicator to read them from a data source.`,
      source: { propertyName: "sloName", propertyValue: name },
    }),
  BackfillNotFound: ({ project, name }) =>
    oneError(404, {
      title: "Backfill not found",
      code: "backfill_not_found",
      detail: `No backfill of this SLO in the project ${project} was started with its indicator.`,
      source: { propertyName: "sloName", propertyValue: name },
    }),
  BackfillIsRunning: ({ name }) =>
    oneError(409, {
      title: "A backfill is running",
      code: "backfill_running",
      detail:
        "An SLO has one backfill at a time. Wait until it is complete, or cancel it: DELETE /api/slos/{name}/indicator/backfill (tocsin backfill --cancel).",
      source: { propertyName: "sloName", propertyValue: name },
    }),
  BackfillIsNotResumable: ({ name }) =>
    oneError(409, {
      title: "The backfill cannot be resumed",
      code: "backfill_not_resumable",
      detail:
        "Only a backfill that was canceled on request, or whose data source was unavailable, can be resumed. Start a new one.",
      source: { propertyName: "sloName", propertyValue: name },
    }),
  BackfillIsInvalid: ({ issues }) => invalidBody("Invalid backfill", issues),
  BacktestIsInvalid: ({ issues }) => invalidBody("Invalid backtest", issues),
  IndicatorTestIsInvalid: ({ issues }) => invalidBody("Invalid test of an indicator", issues),
  MetricsAreInvalid: ({ issues }) => invalidBody("Invalid metrics", issues),
  CountsAreInvalid: ({ issues }) => invalidBody("Invalid counts", issues),
}
