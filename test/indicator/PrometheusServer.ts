import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { text } from "node:stream/consumers"
import { listen, type Receiver } from "../egress/listen.ts"

/** A range query as Prometheus takes it; instants in Unix seconds, both inclusive. */
export interface RangeQuery {
  readonly path: string
  readonly query: string
  readonly start: number
  readonly end: number
  readonly step: number
}

/** What is answered: a value for each instant (`undefined`: none), or a whole answer. */
export type RangeAnswer =
  | ((seconds: number) => number | undefined)
  | { readonly status: number; readonly contentType: string; readonly body: string }

/** A server on loopback that speaks Prometheus's HTTP API, as far as range queries go. */
export interface PrometheusServer extends Receiver {
  readonly url: string
  readonly queries: ReadonlyArray<RangeQuery>
}

/**
 * Starts a server that answers as `answer` says; the form of its answers was recorded from Prometheus 2.42.0. Requests whose
 * headers it does not accept get a 401.
 */
export const startPrometheus = async (
  answer: (query: RangeQuery, response: ServerResponse) => RangeAnswer | Promise<RangeAnswer>,
  tls?: { readonly cert: string; readonly key: string },
  accepts: (headers: IncomingHttpHeaders) => boolean = () => true,
): Promise<PrometheusServer> => {
  const queries: Array<RangeQuery> = []
  const listener: RequestListener = (request, response) => {
    void (async () => {
      if (!accepts(request.headers)) return response.writeHead(401).end("Unauthorized\n")
      const form = new URLSearchParams(await text(request))
      const query = {
        path: request.url ?? "",
        query: form.get("query") ?? "",
        start: Number(form.get("start")),
        end: Number(form.get("end")),
        step: Number(form.get("step")),
      }
      queries.push(query)
      const { status, contentType, body } = answerOf(query, await answer(query, response))
      response.writeHead(status, { "content-type": contentType }).end(body)
    })()
  }
  const receiver = await listen(
    tls === undefined ? createHttpServer(listener) : createHttpsServer(tls, listener),
  )
  return { ...receiver, queries, url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${receiver.port}` }
}

const answerOf = ({ start, end, step }: RangeQuery, answer: RangeAnswer) => {
  if (typeof answer !== "function") return answer
  // Prometheus refuses more.
  if ((end - start) / step + 1 > 11_000) throw new Error("more than 11,000 points were asked for")
  const values: Array<readonly [number, string]> = []
  for (let at = start; at <= end; at += step) {
    const value = answer(at)
    if (value !== undefined) values.push([at, valueText(value)])
  }
  const result = values.length === 0 ? [] : [{ metric: {}, values }]
  const body = JSON.stringify({ status: "success", data: { resultType: "matrix", result } })
  return { status: 200, contentType: "application/json", body }
}

const valueText = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"
}
