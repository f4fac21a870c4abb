import {
  type ComponentState,
  componentText,
  type ExcludedMinutes,
  incidentStatusNames,
  untilNotice,
} from "@tocsin/domain/features/status-page"
import { statusPageDays } from "@tocsin/domain/limits"
import { acceptedLanguage } from "../documents/AcceptedFormat.ts"
import { tooManyLinksTexts } from "../frame/ActionPage.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"

const english = {
  language: "en" as StatusPageLanguage,
  /** What a page of a title is: a title often says itself that it is of the status. */
  nameOf: (title: string) => (/\bstatus$/i.test(title) ? title : `${title} status`),
  states: {
    operational: "Operational",
    degraded: "Degraded performance",
    outage: "Outage",
  } satisfies Record<ComponentState, string>,
  noData: "No data",
  allOperational: "All components are operational",
  someWithoutData: "No known problems; some components have no data",
  plannedMaintenance: "Planned maintenance",
  inProgress: "In progress",
  untilNotice,
  incidentReports: "Incident reports",
  incidentStatuses: incidentStatusNames,
  components: "Components",
  /** Of a component without a name. */
  componentAt: (position: number) => componentText(position),
  noComponents: "No components are published yet.",
  detectedIncidents: `Detected incidents in the last ${statusPageDays} days`,
  noIncidents: "None.",
  range: (from: string, to: string | undefined) => `${from} to ${to ?? "now"}`,
  /** That minutes of an incident do not count. */
  excluded: ({ minutes, areAll }: ExcludedMinutes) =>
    areAll
      ? "The whole incident is excluded from the figures."
      : `${minutes.toLocaleString("en")} ${minutes === 1 ? "minute of it is" : "minutes of it are"} excluded from the figures.`,
  badDays: (bad: number, measured: number) =>
    `${bad} of ${measured} ${measured === 1 ? "day" : "days"} with degraded performance or an outage`,
  firstDay: `${statusPageDays} days ago`,
  today: "Today",
  /** Of a number as digits with a decimal point. */
  goodShare: (percent: string) => `${percent}% good`,
  asOf: (time: string) => `As of ${time}.`,
  feed: "RSS feed",
  stateRules: (burnRate: number) =>
    `A day is degraded if an objective missed its target, and an outage if it had at least ${burnRate} times as many bad events as the target allows. Silenced alerts are not incidents, and do not change the status of a component.`,
  notFound: "Status page not found",
  notFoundAt: (path: string) =>
    `There is no status page at ${path}. Check the address, or ask the person who sent you the link.`,

  statusPage: "Status page",
  subscribe: "Subscribe to updates",
  subscribeTo: (title: string) =>
    `You are notified when ${title} posts about an incident or plans maintenance.`,
  emailAddress: "Email address",
  subscribeEmail: "Subscribe by email",
  webhookUrl: "URL of a webhook",
  subscribeWebhook: "Subscribe webhook",
  orFeed: (link: string) => `Or read the ${link}.`,
  /** Before the message of the issue, which is English. */
  issueOf: { email: "The email address", url: "The URL" } as Readonly<Record<string, string>>,
  checkInbox: "Check your inbox",
  linkSent:
    "If the address is not subscribed yet, it gets an email with a link. Open the link to confirm the subscription.",
  subscribed: "Subscribed",
  webhookConfirmed: "The webhook has confirmed the subscription.",
  ...tooManyLinksTexts,
  tooManySubscribing: "Too many requests to subscribe. Try again later.",
  linkNotFound: "Subscription not found",
  linkExpired: "The link has expired, or the subscription was deleted. Subscribe again on the status page.",
  confirm: "Confirm subscription",
  confirmOf: (title: string, kind: "email" | "webhook") => `Get updates from ${title} by ${kind}?`,
  confirmed: "Subscription confirmed",
  confirmedOf: (title: string) => `You get updates from ${title}.`,
  unsubscribe: "Unsubscribe",
  unsubscribeOf: (title: string) => `Stop updates from ${title}? The subscription is deleted.`,
  unsubscribed: "Unsubscribed",
  unsubscribedOf: (title: string) => `No more updates from ${title}.`,
}

/** The texts of status pages and of the pages of their subscriptions. What they take and return is HTML. */
export type StatusPageTexts = typeof english

const german: StatusPageTexts = {
  language: "de",
  nameOf: (title) => (/\bstatus$/i.test(title) ? title : `Status von ${title}`),
  states: {
    operational: "In Betrieb",
    degraded: "Eingeschränkt",
    outage: "Ausfall",
  },
  noData: "Keine Daten",
  allOperational: "Alle Komponenten sind in Betrieb",
  someWithoutData: "Keine Probleme bekannt; zu einigen Komponenten gibt es keine Daten",
  plannedMaintenance: "Geplante Wartung",
  inProgress: "Läuft",
  untilNotice: "bis auf Weiteres",
  incidentReports: "Meldungen zu Störungen",
  incidentStatuses: {
    investigating: "In Untersuchung",
    identified: "Ursache bekannt",
    monitoring: "Wird beobachtet",
    resolved: "Behoben",
  },
  components: "Komponenten",
  componentAt: (position) => `Komponente ${position}`,
  noComponents: "Noch sind keine Komponenten veröffentlicht.",
  detectedIncidents: `Erkannte Störungen der letzten ${statusPageDays} Tage`,
  noIncidents: "Keine.",
  range: (from, to) => `${from} bis ${to ?? "jetzt"}`,
  excluded: ({ minutes, areAll }) =>
    areAll
      ? "Die ganze Störung zählt in den Werten nicht mit."
      : `${minutes.toLocaleString("de")} ${minutes === 1 ? "Minute davon zählt" : "Minuten davon zählen"} in den Werten nicht mit.`,
  badDays: (bad, measured) =>
    `${bad} von ${measured} ${measured === 1 ? "Tag" : "Tagen"} mit Einschränkung oder Ausfall`,
  firstDay: `vor ${statusPageDays} Tagen`,
  today: "Heute",
  goodShare: (percent) => `${percent.replace(".", ",")}\u00a0% gut`,
  asOf: (time) => `Stand: ${time}.`,
  feed: "RSS-Feed",
  stateRules: (burnRate) =>
    `Ein Tag gilt als eingeschränkt, wenn ein Ziel verfehlt wurde, und als Ausfall, wenn es mindestens ${burnRate}-mal so viele schlechte Ereignisse gab, wie das Ziel erlaubt. Stummgeschaltete Alarme sind keine Störungen und ändern den Status einer Komponente nicht.`,
  notFound: "Statusseite nicht gefunden",
  notFoundAt: (path) =>
    `Unter ${path} gibt es keine Statusseite. Bitte die Adresse prüfen oder dort nachfragen, wo der Link herkommt.`,

  statusPage: "Statusseite",
  subscribe: "Meldungen abonnieren",
  subscribeTo: (title) =>
    `Das Abonnement meldet, wenn ${title} über eine Störung informiert oder eine Wartung plant.`,
  emailAddress: "E-Mail-Adresse",
  subscribeEmail: "Per E-Mail abonnieren",
  webhookUrl: "URL eines Webhooks",
  subscribeWebhook: "Per Webhook abonnieren",
  orFeed: (link) => `Oder den ${link} lesen.`,
  issueOf: { email: "Die E-Mail-Adresse wurde abgelehnt:", url: "Die URL wurde abgelehnt:" },
  checkInbox: "Posteingang prüfen",
  linkSent:
    "Wenn die Adresse noch nicht angemeldet ist, erhält sie eine E-Mail mit einem Link, der das Abonnement bestätigt.",
  subscribed: "Abonniert",
  webhookConfirmed: "Der Webhook hat das Abonnement bestätigt.",
  tooManyRequests: "Zu viele Anfragen",
  tooManySubscribing: "Zu viele Anfragen für Abonnements. Bitte später noch einmal versuchen.",
  tooManyLinks:
    "Aus diesem Netz wurden zu viele ungültige Links geöffnet. Bitte in einigen Sekunden noch einmal versuchen.",
  linkNotFound: "Abonnement nicht gefunden",
  linkExpired:
    "Der Link ist abgelaufen, oder das Abonnement wurde gelöscht. Auf der Statusseite ist ein neues Abonnement möglich.",
  confirm: "Abonnement bestätigen",
  confirmOf: (title, kind) =>
    `Meldungen von ${title} per ${kind === "email" ? "E-Mail" : "Webhook"} abonnieren?`,
  confirmed: "Abonnement bestätigt",
  confirmedOf: (title) => `Die Meldungen von ${title} sind abonniert.`,
  unsubscribe: "Abonnement beenden",
  unsubscribeOf: (title) => `Das Abonnement der Meldungen von ${title} beenden? Es wird gelöscht.`,
  unsubscribed: "Abonnement beendet",
  unsubscribedOf: (title) => `Von ${title} kommen keine Meldungen mehr.`,
}

/** The languages of status pages, which are those of the web console, in their own words. */
const statusPageLanguages = { en: "English", de: "Deutsch" } as const

type StatusPageLanguage = keyof typeof statusPageLanguages

/** The texts of a language. */
export const statusPageTexts: Readonly<Record<StatusPageLanguage, StatusPageTexts>> = {
  en: english,
  de: german,
}

const languages = Object.keys(statusPageLanguages) as ReadonlyArray<StatusPageLanguage>

/** The texts in the language of the parameter `lang`, or else of the header `Accept-Language`; English by default. */
export const requestedTexts = (request: ApiRequest): StatusPageTexts => {
  const lang = request.query.get("lang")
  const language =
    languages.find((each) => each === lang) ??
    acceptedLanguage(request.header("accept-language"), languages) ??
    "en"
  return statusPageTexts[language]
}

/** A path with its language, so that what it shows is in the language of the page that links to it. */
export const inLanguage = (path: string, { language }: StatusPageTexts): string => `${path}?lang=${language}`

/** Links to the page in the other languages. */
export const languageLinks = ({ language }: StatusPageTexts): string =>
  languages
    .filter((each) => each !== language)
    .map(
      (each) => `<a href="?lang=${each}" lang="${each}" hreflang="${each}">${statusPageLanguages[each]}</a>`,
    )
    .join(" · ")
