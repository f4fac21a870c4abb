import { Limits } from "@tocsin/domain/Limits"
import { Context } from "effect"

/** What an operator sets of the API; the defaults hold where nothing is provided. */
export class ApiOptions extends Context.Reference<ApiOptions>()("@tocsin/adapters-http/api/ApiOptions", {
  defaultValue: () => ({
    /** Where the service is reached from outside, without a final slash; what links in notifications lead to. */
    baseUrl: "http://localhost:8080",
    /** Reads of one SLO per second and organization. Source: decision 0513. */
    findSloPerSecond: Limits.findSloPerSecond as number,
    /**
     * How many proxies stand in front, each adding its client to `X-Forwarded-For`; 0: the header is not believed,
     * and the client is whoever opened the connection.
     */
    trustedProxies: 0,
    /** Whether version 1 is served; when it is not, it answers 410. Source: decision 0514. */
    isV1Served: true,
  }),
}) {}
