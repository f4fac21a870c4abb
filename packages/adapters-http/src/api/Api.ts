import * as HttpApi from "effect/http-api/HttpApi"
import { groups, resourceGroup } from "@tocsin/api/openapi"
import * as OpenApi from "effect/http-api/OpenApi"
import { alertmanager } from "../alerts/Alertmanager.ts"
import alertmanagerExamples from "../alerts/alertmanager-examples.json" with { type: "json" }
import { otlp } from "../otlp/Otlp.ts"
import otlpExamples from "../otlp/examples.json" with { type: "json" }
import { apiVersion } from "../frame/ApiVersions.ts"

/**
 * The public API.
 *
 * A resource is declared in `@tocsin/api`, or here if only this package serves it, with an example of each operation, and has a
 * handler for each of them in `XHandlers.ts`. Handlers fail with tagged errors, and the resource's `XErrors.ts` has their statuses.
 *
 * HttpApi only describes the endpoints. Routing and decoding with it took four to seven times the CPU per request.
 */
export class Api extends HttpApi.make("tocsin")
  .add(groups.accessTokens)
  .add(groups.publicKeys)
  .add(groups.status)
  .add(groups.sloMetrics)
  .add(groups.counts)
  .add(resourceGroup("otlp", otlp, otlpExamples))
  .add(groups.backtests)
  .add(groups.reports)
  .add(groups.reviews)
  .add(groups.annotations)
  .add(groups.indicators)
  .add(groups.backfills)
  .add(groups.definitions)
  .add(groups.history)
  .add(groups.budgetAdjustments)
  .add(groups.alertMethods)
  .add(groups.dataSources)
  .add(groups.alerts)
  .add(resourceGroup("alertmanager", alertmanager, alertmanagerExamples))
  .add(groups.silences)
  .add(groups.incidents)
  .add(groups.statusPageSubscriptions)
  .add(groups.deliveries)
  .add(groups.organizationKeys)
  .add(groups.credentials)
  .add(groups.consoleReads)
  .add(groups.overviewReads)
  .add(groups.session)
  .add(groups.resends)
  .annotate(OpenApi.Title, "Tocsin")
  .annotate(
    OpenApi.Description,
    "Self-hosted SLO tracking with a status API and signed webhook alerts. In requests, an optional property that is null or an empty string is treated as omitted.",
  )
  .annotate(OpenApi.Version, apiVersion) {}

/** The operations of version 1. */
export class ApiV1 extends HttpApi.make("tocsin-v1")
  .add(groups.accessTokens)
  .add(groups.statusV1)
  .annotate(OpenApi.Title, "Tocsin, version 1 (deprecated)")
  .annotate(OpenApi.Description, "The status API of version 1. Use version 2.")
  .annotate(OpenApi.Version, "1.0.0") {}
