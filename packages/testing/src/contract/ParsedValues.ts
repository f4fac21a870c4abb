// Parsed values as decoding makes them, from the texts that definitions have.
import * as Result from "effect/Result"
import { type CalendarWindow, type SourceUrl, timeWindow } from "@tocsin/domain/adapter"
import { decode, type Instant } from "@tocsin/domain/codec"
import { isCalendarWindow } from "@tocsin/domain/definitions"
import { anyAddress, parseSourceUrl, parseWebhookUrl, type WebhookUrl } from "@tocsin/domain/delivery"

/** A date-time of RFC 3339. */
export const instantOf = (text: string): Instant => ({ text, ms: Date.parse(text) })

/** The calendar of a window. */
export const calendarOf = (calendar: {
  readonly startTime: string
  readonly timeZone: string
}): CalendarWindow["calendar"] => {
  const window = Result.getOrThrow(decode(timeWindow, { unit: "Day", count: 1, calendar }, undefined))
  if (!isCalendarWindow(window)) throw new Error("not a calendar window")
  return window.calendar
}

/** A webhook URL. */
export const webhookUrlOf = (text: string): WebhookUrl => Result.getOrThrow(parseWebhookUrl(text, anyAddress))

/** The URL of a Prometheus server. */
export const sourceUrlOf = (text: string): SourceUrl => ({
  ...Result.getOrThrow(parseSourceUrl(text, anyAddress)),
  text,
})
