import { type FailureReason, failureReasonText } from "@tocsin/domain"
import * as Record from "effect/Record"

/** What is known of an error code; the documentation has a page for each. Both texts are Markdown. */
export interface ErrorCodeText {
  /** What the code means, in sentences. */
  readonly meaning: string
  /** What to do about it. */
  readonly fix: string
  /** The page of the documentation about it, such as `guides/delivery#retries`. */
  readonly see?: string
}

/** Codes of requests that are rejected before an operation handles them. */
const requests = {
  background_work_failing: {
    meaning:
      "`/readyz` reports that the server failed to do its background work, such as evaluating SLOs or sending notifications, for longer than expected. The detail names the work.",
    fix: "Search the log of the server for errors of that work. The usual cause is a database that is unavailable or overloaded.",
    see: "guides/runbooks",
  },
  body_not_deflate: {
    meaning: "The body has `Content-Encoding: deflate`, but is not in the zlib format.",
    fix: "Compress the body in the zlib format (RFC 1950), not as raw deflate, or send it without `Content-Encoding`.",
  },
  body_not_gzip: {
    meaning: "The body has `Content-Encoding: gzip`, but is not gzip.",
    fix: "Compress the body with gzip, or send it without `Content-Encoding`.",
  },
  body_not_json: {
    meaning: "The body is not valid JSON. The detail has the line and column of the first error.",
    fix: "Correct the JSON at that position. Common causes are a trailing comma, single quotes, and quotes that a shell removed.",
  },
  body_not_utf8: {
    meaning: "The body has bytes that are not UTF-8.",
    fix: "Save or encode the body as UTF-8.",
  },
  body_timeout: {
    meaning: "The server did not receive the whole body within 20 seconds.",
    fix: "Send the request again. If it happens often, send smaller bodies, or check the connection and the proxies in between.",
  },
  body_too_large: {
    meaning:
      "The body is larger than the operation allows. The detail has the limit in bytes. As the reason for a failed delivery attempt: the body of the notification is larger than allowed.",
    fix: "Divide the request into several smaller ones. For a notification, shorten the template of the alert method.",
    see: "spec/limits",
  },
  concurrency_limit_exceeded: {
    meaning: "Too many costly requests are in progress, of the organization or of the whole server.",
    fix: "Wait for `Retry-After` seconds and send the request again. Send fewer requests at the same time.",
    see: "spec/rate-limits",
  },
  cross_site_request: {
    meaning:
      "The request has a session cookie of the web console, but does not come from a page of this server. It could be a cross-site request forgery.",
    fix: "Programs should authenticate with an access token instead of a cookie. If the console itself gets this error, set `TOCSIN_BASE_URL` to the URL that people open, because a proxy changes the host.",
    see: "settings#tocsin_base_url",
  },
  headers_too_large: {
    meaning: "The request line and headers have more than 16 KiB.",
    fix: "Remove unnecessary headers and cookies, and shorten the query.",
  },
  host_duplicated: {
    meaning: "The request has more than one `Host` header.",
    fix: "Send one `Host` header. Check the proxies that add headers.",
  },
  host_missing: {
    meaning: "The request has no `Host` header, which HTTP/1.1 requires.",
    fix: "Send a `Host` header with the host and port of the server.",
  },
  internal_error: {
    meaning: "The server failed because of a defect in Tocsin.",
    fix: "Search the log of the server for the `Trace-Id` of the response, and report the log entry as a bug. Sending the request again may help.",
    see: "guides/operations",
  },
  invalid_path: {
    meaning:
      "The path has a `%` that is not followed by two hexadecimal digits, or is not UTF-8 when decoded.",
    fix: "Percent-encode the path. Write `%25` for the character `%`.",
  },
  invalid_request: {
    meaning: "The request is not valid HTTP/1.1.",
    fix: "Use an HTTP client library. If you use one, check for a proxy that changes `Content-Length` or `Transfer-Encoding`, or that sends TLS to a port without TLS.",
  },
  method_not_allowed: {
    meaning:
      "The path exists, but does not support the method. The `Allow` header lists the supported methods.",
    fix: "Use one of the methods in the `Allow` header.",
    see: "api/",
  },
  method_unknown: {
    meaning: "The server does not know the method of the request.",
    fix: "Use GET, HEAD, POST, PUT or DELETE, in upper case.",
  },
  not_found: {
    meaning:
      "Either the path of the request does not exist, or a definition references an object that does not exist. In the second case, the error has the path of the reference.",
    fix: "For a path, compare it with the API reference. For a reference, check the name and the project, and apply the referenced object first or in the same request.",
    see: "api/",
  },
  not_supported: {
    meaning:
      "A client of another product called an operation that Tocsin does not have. The title explains why.",
    fix: "Use the operation that the title names, if it names one.",
    see: "spec/clients#10-every-call",
  },
  origin_not_allowed: {
    meaning: "The request comes from a web page of an origin that may not call the server.",
    fix: "Add the origin to `TOCSIN_CORS_ORIGINS`, or call the server from your own backend.",
    see: "settings#tocsin_cors_origins",
  },
  rate_limit_exceeded: {
    meaning: "The organization sent more requests of this kind than its rate limit allows.",
    fix: "Wait for `Retry-After` seconds. The `RateLimit` header shows how many requests remain. Use the operations that handle many objects at once.",
    see: "spec/rate-limits",
  },
  request_timeout: {
    meaning: "The server did not receive the headers of the request within 10 seconds.",
    fix: "Send the request again. If it happens often, check the connection and the proxies in between.",
  },
  shutting_down: {
    meaning: "`/readyz` reports that the server is shutting down. It completes requests in progress.",
    fix: "Nothing, if the server is being restarted. A load balancer should send requests to other servers.",
    see: "guides/operations",
  },
  too_many_connections: {
    meaning: "The server has as many open connections as `TOCSIN_MAX_CONNECTIONS` allows.",
    fix: "Try again after a few seconds. Reuse connections in clients, or raise the setting.",
    see: "settings#tocsin_max_connections",
  },
  unavailable: {
    meaning: "The server cannot use its database, or a write got no turn in time.",
    fix: "Wait for `Retry-After` seconds and send the request again: counts and definitions can be sent twice without effect. If it persists, check the database.",
    see: "guides/runbooks",
  },
  unsupported_content_encoding: {
    meaning: "The operation does not accept the `Content-Encoding` of the body.",
    fix: "Send the body uncompressed, or with one of the codings in the detail.",
  },
  unsupported_expectation: {
    meaning: "The `Expect` header has a value other than `100-continue`.",
    fix: "Remove the header, or send `Expect: 100-continue`.",
  },
  unsupported_media_type: {
    meaning: "The operation does not accept the `Content-Type` of the body.",
    fix: "Send one of the media types in the detail, in UTF-8. With `curl`, add `-H 'Content-Type: application/json'`.",
  },
  unsupported_transfer_encoding: {
    meaning: "The `Transfer-Encoding` header has a value other than `chunked`.",
    fix: "Send the body with `Content-Length`, or with `Transfer-Encoding: chunked`.",
  },
  version_disabled: {
    meaning: "Version 1 of the status API is disabled on this server.",
    fix: "Use `/api/v2`. An operator can enable version 1 for older clients.",
    see: "spec/status-api",
  },
  version_not_acceptable: {
    meaning: "The `Accept` header asks for a version of the API that the server does not have.",
    fix: "Send `Accept: application/json`, or `Accept: application/json; version=v1alpha`.",
    see: "spec/http",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes about credentials, tokens, sessions, organizations and signing keys. */
const access = {
  access_token_expired: {
    meaning: "The access token has expired. It is valid for a limited time after it was issued.",
    fix: "Get a new token with `POST /api/accessToken`. Clients should do this before the expiration time.",
    see: "spec/access",
  },
  access_token_invalid: {
    meaning:
      "The access token was not issued by this server, was changed, or belongs to a credential that was deleted or disabled.",
    fix: "Get a new token with `POST /api/accessToken`, from the server that you call.",
    see: "spec/access",
  },
  access_token_missing: {
    meaning: "The request has no access token.",
    fix: "Get a token with `POST /api/accessToken` and send it as `Authorization: Bearer TOKEN`. The command line does this after `tocsin login`.",
    see: "spec/access",
  },
  client_id_invalid: {
    meaning: "The client ID of a new credential has characters that are not allowed, or is too long.",
    fix: "Use visible ASCII characters without a colon, or omit the client ID to have one generated.",
  },
  client_id_taken: {
    meaning: "The organization already has a credential with this client ID.",
    fix: "Choose another client ID, or delete the other credential first.",
  },
  client_secret_invalid: {
    meaning:
      "The client secret of a new credential is too short, too long, or has characters that are not allowed.",
    fix: "Follow the rule in the detail, or omit the client secret to have one generated.",
  },
  credential_not_found: {
    meaning: "The organization has no credential with this client ID.",
    fix: "List the credentials with `tocsin credentials list`, or on the Credentials page of the web console.",
    see: "commands/credentials",
  },
  credentials_malformed: {
    meaning: "The `Authorization` header is not valid HTTP Basic authentication.",
    fix: "Send `Authorization: Basic` with the base64 encoding of `clientId:clientSecret`. With `curl`, use `-u`.",
    see: "spec/access",
  },
  credentials_missing: {
    meaning: "A request for an access token has no client ID and secret.",
    fix: "Send `Authorization: Basic` with the base64 encoding of `clientId:clientSecret`. With `curl`, use `-u`.",
    see: "spec/access",
  },
  credentials_quota_exceeded: {
    meaning: "The organization has as many credentials as it can create.",
    fix: "Delete credentials that nobody uses: the list shows when each was last used. The limit does not apply to the operator, who can create more with the master key.",
    see: "spec/limits",
  },
  insufficient_permissions: {
    meaning: "The role of the credential does not allow the operation. The detail has both roles.",
    fix: "Use a credential with the required role. An administrator of the organization can create one on the Credentials page.",
    see: "spec/access",
  },
  invalid_credentials: {
    meaning:
      "The organization has no credential with this client ID and secret, or the credential is disabled. For security, the error does not say which of them is wrong.",
    fix: "Check all three values: organization, client ID and client secret. A lost secret cannot be recovered: an admin replaces it with `tocsin credentials rotate CLIENT-ID`, which keeps the name in the history.",
    see: "commands/credentials",
  },
  invalid_sign_in_link: {
    meaning: "The sign-in link was used already, or has expired.",
    fix: "Sign in with a client ID and secret, or ask for a new link.",
  },
  organization_key_ends: {
    meaning:
      "The organization's signing key was deleted, and the server's key signs from the time in the detail.",
    fix: "To keep a key of the organization, create a new one with `POST /api/signingkeys` before that time.",
    see: "guides/delivery#the-signature",
  },
  organization_key_not_found: {
    meaning: "The organization has no signing key of its own: the server's key signs its notifications.",
    fix: "Create a key with `POST /api/signingkeys` or on the Signing page, or use the server's key.",
    see: "guides/delivery#the-signature",
  },
  organization_malformed: {
    meaning: "The organization is not 1 to 253 visible ASCII characters, without spaces.",
    fix: "Send the ID of an organization, such as `acme`, in the `Organization` header or the parameter of that name.",
  },
  organization_mismatch: {
    meaning:
      "The access token or session belongs to a different organization than the `Organization` header.",
    fix: "Send the organization that the token was issued for, or get a token of the other organization.",
    see: "spec/access",
  },
  organization_missing: {
    meaning: "The request has no `Organization` header.",
    fix: "Send the ID of the organization, for example `Organization: acme`.",
    see: "spec/access",
  },
  own_credential: {
    meaning: "The request would delete or disable the credential that it is made with.",
    fix: "Use another credential for this change.",
  },
  public_key_not_found: {
    meaning: "The server has no public key with this `keyId`. Retired keys are listed for a day.",
    fix: "Fetch the current keys from `/api/notifications/v1/webhook-http-signature/public-keys`, which has those of organizations too; `tocsin keys list` lists them. If a receiver gets this error for a new notification, check that it calls the server that sent it.",
    see: "spec/signatures",
  },
  rotation_too_soon: {
    meaning: "The signing key was rotated so often that too many retired keys are still listed.",
    fix: "Rotate again after the time in the detail.",
    see: "spec/signatures",
  },
  session_expired: {
    meaning: "The session of the web console has expired.",
    fix: "Sign in again.",
  },
  session_invalid: {
    meaning:
      "The session of the web console is not valid, for example because the credential was deleted or the master key was replaced.",
    fix: "Sign in again.",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes of parameters and headers. */
const parameters = {
  cursor_invalid: {
    meaning: "The cursor is not from a page of this list.",
    fix: "Use `links.next` of a page unchanged, with the same filters, or omit the cursor to start over.",
    see: "guides/api",
  },
  date_time_invalid: {
    meaning: "A parameter is not a date-time in the format of RFC 3339.",
    fix: "Write the time with a time zone, such as `2026-01-30T12:00:00Z`. In a URL, encode `+` as `%2B`.",
  },
  event_invalid: {
    meaning: "The filter names an event that does not exist.",
    fix: "Use one of the events in the detail.",
  },
  fields_invalid: {
    meaning: "The `fields` parameter has an unknown value.",
    fix: "Use `counts`, or omit the parameter.",
    see: "spec/status-api",
  },
  format_invalid: {
    meaning: "The format is not one in which the resource is available.",
    fix: "Use one of the formats in the detail.",
  },
  idempotency_key_invalid: {
    meaning: "The `Idempotency-Key` header is empty, too long, or has characters that are not allowed.",
    fix: "Send a new UUID for each request that differs from the requests before.",
  },
  idempotency_key_reused: {
    meaning: "The `Idempotency-Key` was used for a request with other content.",
    fix: "Use a new key for each different request, and the same key only when you send the same request again.",
  },
  kind_invalid: {
    meaning: "The filter names a kind that does not exist.",
    fix: "Use one of the kinds in the detail.",
  },
  labels_invalid: {
    meaning:
      "The `labels` parameter is not a list of `key=value` pairs, or of label names where names are expected.",
    fix: "Write `team=payments,env=prod`. The detail has the rule.",
  },
  limit_invalid: {
    meaning: "The `limit` parameter is not a whole number in the allowed range.",
    fix: "Use a number in the range in the detail, and follow `links.next` for more.",
  },
  name_too_long: {
    meaning: "A name in the path or a parameter is longer than any name can be.",
    fix: "Check the name. The detail has the maximum length.",
  },
  number_invalid: {
    meaning: "A parameter is not a number.",
    fix: "Write a decimal number, such as `0.5`.",
  },
  part_invalid: {
    meaning: "The `part` parameter has an unknown value.",
    fix: "Use `urgent`, or omit the parameter.",
  },
  project_required: {
    meaning: "The operation needs a project: a name is unique only within a project.",
    fix: "Send the `Project` header or the `project` parameter, as the detail says. On the command line, use `-p`.",
  },
  range_incomplete: {
    meaning: "A range has only one of `from` and `to`, or the operation requires both.",
    fix: "Send both `from` and `to`.",
  },
  range_invalid: {
    meaning: "The range is empty, reversed, or combined with a parameter that excludes it.",
    fix: "Send a `from` before `to`. The detail has the rule.",
  },
  range_too_long: {
    meaning: "`from` and `to` are further apart than the operation allows.",
    fix: "Read the range in several shorter parts. The detail has the longest range.",
  },
  search_too_long: {
    meaning: "The search text is longer than any display name.",
    fix: "Search for a shorter text.",
  },
  severity_invalid: {
    meaning: "The severity is not `High`, `Medium` or `Low`.",
    fix: "Use one of the values in the detail.",
  },
  days_invalid: {
    meaning: "The `days` parameter is not one of the numbers of days.",
    fix: "Use one of the values in the detail.",
  },
  slo_invalid: {
    meaning: "The `slo` parameter is not a project and a name, or is repeated too often.",
    fix: "Write `project/name`, such as `shop/checkout`.",
  },
  state_invalid: {
    meaning: "The `state` filter has a value that does not exist.",
    fix: "Use one of the values in the detail.",
  },
  status_invalid: {
    meaning: "The `status` filter has a value that does not exist.",
    fix: "Use one of the values in the detail.",
  },
  step_invalid: {
    meaning: "The step of a series is not one of the supported steps, or would return too many points.",
    fix: "Use one of the steps in the detail, or a shorter range.",
  },
  window_invalid: {
    meaning:
      "A window of burn rates is not one that a condition of an alert policy can have, or there are too many.",
    fix: "Write durations such as `5m` and `1h`, up to the number in the detail.",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes of definitions and other bodies; each has the path of a property. */
const documents = {
  document_invalid: {
    meaning:
      "The document is not valid YAML or JSON, is not a single definition where one is expected, or has more issues than one response lists.",
    fix: "Correct the document at the line and column in the message. `tocsin apply --dry-run` checks files without changing anything.",
    see: "guides/definitions",
  },
  duplicate: {
    meaning: "A key, name or entry occurs twice where it must be unique.",
    fix: "Remove or rename one of the two.",
    see: "guides/definitions",
  },
  hidden_without_stored: {
    meaning:
      "The definition has `[hidden]` in place of a secret, but there is no stored secret to keep: the object is new, or the secret moved.",
    fix: "Write the secret itself. `[hidden]` keeps the stored value only at the same place of an existing object.",
    see: "guides/definitions",
  },
  in_use: {
    meaning: "Other objects reference the object, so it cannot be deleted, moved or changed in this way.",
    fix: "Remove the references that the message lists, or delete those objects in the same request.",
    see: "guides/definitions",
  },
  invalid_format: {
    meaning: "A text does not have the format of its property, such as a name, a duration or a label.",
    fix: "Follow the rule in the message. Names have lowercase letters, digits and hyphens; durations are written `90s`, `5m` or `1h30m`. There is no unit for days: write `24h`.",
    see: "guides/definitions",
  },
  mutually_exclusive: {
    meaning: "The document has several properties of which only one is allowed.",
    fix: "Keep the property that you mean, and remove the others.",
    see: "guides/definitions",
  },
  not_allowed_value: {
    meaning:
      "A property has a value that is not one of its allowed values, or that does not fit another property.",
    fix: "Use one of the values in the message.",
    see: "guides/definitions",
  },
  out_of_range: {
    meaning: "A number or time is less than the minimum or greater than the maximum.",
    fix: "Use a value in the range in the message. A target is a ratio: write `0.999` for 99.9%.",
    see: "guides/definitions",
  },
  required: {
    meaning: "A required property is missing.",
    fix: "Add the property at the path in the error.",
    see: "guides/definitions",
  },
  reserved: {
    meaning: "A name or a header is reserved for Tocsin, or the object always exists.",
    fix: "Use another name. The default project cannot be deleted.",
    see: "guides/definitions",
  },
  too_few: {
    meaning: "A list or text has fewer entries or characters than required.",
    fix: "Add entries up to the minimum in the message.",
    see: "guides/definitions",
  },
  too_long: {
    meaning: "A text or range is longer than allowed.",
    fix: "Shorten it to the maximum in the message.",
    see: "spec/limits",
  },
  too_many: {
    meaning: "A list, a map or a request has more entries than allowed.",
    fix: "Remove entries, or divide the request into several. The message has the maximum.",
    see: "spec/limits",
  },
  unknown_kind: {
    meaning: "The kind in the path does not exist.",
    fix: "Use one of the kinds in the detail.",
    see: "guides/definitions",
  },
  unknown_property: {
    meaning:
      "A property does not exist at this place. Unknown properties are rejected because a misspelled property would have no effect.",
    fix: "Correct the name: the message has a suggestion if a name is similar. Check the indentation in YAML.",
    see: "guides/definitions",
  },
  wrong_type: {
    meaning:
      "A value has the wrong type, such as a text in place of a number or a single value in place of a list.",
    fix: "Use the type in the message. In YAML, write numbers without quotes, and values such as `yes` and `1.0` with quotes if they are text.",
    see: "guides/definitions",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes of webhook and data source URLs. */
const urls = {
  url_address_forbidden: {
    meaning:
      "The host of the URL is an IP address that is not public, such as a loopback or private address. Tocsin does not connect to such addresses unless the operator allows them, so that users cannot reach internal services.",
    fix: "Use a public address. To allow a private network, the operator adds it to `TOCSIN_EGRESS_ALLOW_CIDRS`, for example `10.20.0.0/16`.",
    see: "settings#tocsin_egress_allow_cidrs",
  },
  url_escape_invalid: {
    meaning: "The URL has a `%` that is not followed by two hexadecimal digits.",
    fix: "Write `%25` for the character `%`.",
  },
  url_has_credentials: {
    meaning: "The URL contains a user name or password.",
    fix: "Remove them. For a webhook, send them in a header with `isSecret: true`; for a data source, use `basic`.",
    see: "guides/definitions",
  },
  url_has_forbidden_character: {
    meaning: "The URL contains spaces, control characters, invisible characters or backslashes.",
    fix: "Percent-encode the characters, for example `%20` for a space. Check for characters that were copied by accident.",
  },
  url_has_fragment: {
    meaning: "The URL has a fragment, which is never sent to a server.",
    fix: "Remove `#` and what follows it.",
  },
  url_has_query: {
    meaning: "The URL of a data source has a query.",
    fix: "Remove `?` and what follows it: Tocsin adds the query itself.",
    see: "guides/prometheus",
  },
  url_host_forbidden: {
    meaning:
      "The host of the URL is a name of a local or private network, such as `localhost` or a name that ends with `.local` or `.internal`.",
    fix: "Use a public name. If `TOCSIN_EGRESS_ALLOW_CIDRS` allows the addresses of the network, such names are accepted too.",
    see: "settings#tocsin_egress_allow_cidrs",
  },
  url_host_invalid: {
    meaning: "The host of the URL is missing or is not a valid name.",
    fix: "Write a host of labels with letters, digits, hyphens and underscores, without a dot at the end.",
  },
  url_invalid: {
    meaning: "The text is not a URL.",
    fix: "Write a complete URL, such as `https://hooks.example.com/tocsin`.",
  },
  url_not_http: {
    meaning: "The URL does not start with `https://` or `http://`.",
    fix: "Write the complete URL with its scheme.",
  },
  url_not_https: {
    meaning: "The URL of a webhook does not start with `https://`. Notifications are never sent unencrypted.",
    fix: "Use HTTPS. Put a TLS-terminating proxy in front of a receiver without TLS. To try one on your machine, use `tocsin listen --forward`.",
    see: "commands/listen",
  },
  url_port_invalid: {
    meaning: "The port of the URL is not from 1 to 65535.",
    fix: "Correct the port, or omit it.",
  },
  url_too_long: {
    meaning: "The URL is longer than allowed.",
    fix: "Shorten the URL to the maximum in the message.",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes of notification templates; each has a line and a column. */
const templates = {
  array_in_string: {
    meaning: "An array variable, such as `$alert_policy_conditions[]`, is inside a JSON string.",
    fix: "Write the variable without quotes around it, or use its text form in the string, such as `$alert_policy_conditions_text`.",
    see: "guides/templates",
  },
  brackets_missing: {
    meaning: "A variable that is an array is written without brackets.",
    fix: "Add `[]` after the name of the variable.",
    see: "guides/templates",
  },
  brackets_not_allowed: {
    meaning: "A variable that is text is written with brackets.",
    fix: "Remove `[]` after the name of the variable.",
    see: "guides/templates",
  },
  key_duplicate: {
    meaning: "An object of the template has the same key twice.",
    fix: "Rename or remove one of the two.",
    see: "guides/templates",
  },
  not_json: {
    meaning: "The template is not valid JSON.",
    fix: "Correct it at the line and column in the message. Text variables belong inside quotes, numbers and arrays outside.",
    see: "guides/templates",
  },
  text_outside_string: {
    meaning: "A text variable is outside a JSON string.",
    fix: 'Put the variable in quotes: `"$severity"`.',
    see: "guides/templates",
  },
  too_deep: {
    meaning: "A template or value is nested more deeply than allowed.",
    fix: "Remove levels of objects and arrays.",
    see: "guides/templates",
  },
  too_large: {
    meaning: "The template, or the body that it renders, is larger than allowed.",
    fix: "Shorten the template. The message has the maximum.",
    see: "guides/templates",
  },
  variable_in_key: {
    meaning: "A key of an object contains a variable.",
    fix: "Write the variable in the value. For a dollar sign in a key, write `\\u0024`.",
    see: "guides/templates",
  },
  variable_unknown: {
    meaning: "The template has a variable that does not exist.",
    fix: "Use a variable from the table of variables. For a dollar sign as text, write `\\u0024`.",
    see: "guides/templates",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes of objects that do not exist, or not in the state that an operation needs. */
const objects = {
  alert_closed: {
    meaning: "The alert is resolved or canceled, so it cannot be acknowledged.",
    fix: "Nothing. List open alerts with `tocsin get alerts --status triggered`.",
    see: "guides/alerting#acknowledge-an-alert",
  },
  alert_grouped: {
    meaning:
      "The alert belongs to another incident that is open. An alert belongs to one open incident at most.",
    fix: "Remove the alert from that incident first, or resolve that incident. The detail has its ID.",
    see: "guides/incidents",
  },
  alert_method_not_found: {
    meaning: "The project has no alert method with this name.",
    fix: "Check the name and the project. `tocsin get alertmethods -A` lists those of all projects.",
  },
  alert_not_found: {
    meaning: "No alert was triggered with this ID, or for this SLO, objective and alert policy.",
    fix: "List the alerts with `tocsin get alerts`. Alerts are deleted after the retention time.",
  },
  alert_policy_not_found: {
    meaning: "The project has no alert policy with this name.",
    fix: "Check the name and the project. `tocsin get alertpolicies -A` lists those of all projects.",
  },
  annotation_not_found: {
    meaning: "The organization has no annotation with this ID.",
    fix: "List the annotations with `tocsin get annotations`.",
  },
  data_source_not_found: {
    meaning: "The project has no data source with this name.",
    fix: "Check the name and the project. `tocsin get datasources -A` lists those of all projects.",
  },
  definitions_quota_exceeded: {
    meaning: "The organization has as many definitions as its quota allows.",
    fix: "Delete definitions that are no longer used. An operator can raise the quota.",
    see: "spec/limits",
  },
  delivery_not_found: {
    meaning: "The organization has no delivery with this ID.",
    fix: "List the deliveries with `tocsin delivery list`. Deliveries are deleted after the retention time.",
    see: "guides/delivery",
  },
  incident_not_found: {
    meaning: "The organization has no incident with this ID.",
    fix: "List the incidents with `tocsin incident list`.",
    see: "guides/incidents",
  },
  incident_task_not_found: {
    meaning: "The timeline of the incident has no task with this ID.",
    fix: "List the tasks with `GET /api/incidents/{id}/entries?kind=task`.",
    see: "guides/incidents",
  },
  indicator_not_found: {
    meaning: "The SLO reads no data source: its counts are sent to the API.",
    fix: "To read a data source, add `indicator` to the definition of the SLO.",
    see: "guides/prometheus",
  },
  notifications_quota_exceeded: {
    meaning:
      "The organization stores as many bytes of notifications as its quota allows, so external alerts are rejected.",
    fix: "Check the receivers: notifications that cannot be delivered are stored the longest. An operator can raise the quota.",
    see: "spec/limits",
  },
  backfill_not_found: {
    meaning: "No backfill of this SLO was started with its current indicator.",
    fix: "Start one with `tocsin backfill`.",
    see: "guides/prometheus#backfill-a-range",
  },
  backfill_not_resumable: {
    meaning: "The backfill was completed, or failed in a way that it cannot continue from.",
    fix: "Start a new backfill.",
    see: "guides/prometheus#backfill-a-range",
  },
  backfill_reading: {
    meaning: "The backfill has begun to query the data source, so it cannot be removed from the queue.",
    fix: "Cancel it instead.",
    see: "guides/prometheus#backfill-a-range",
  },
  backfill_running: {
    meaning: "A backfill of this SLO is running. An SLO has one at a time.",
    fix: "Wait until it is complete, or cancel it with `tocsin backfill --cancel`.",
    see: "guides/prometheus#backfill-a-range",
  },
  report_not_found: {
    meaning:
      "The organization has no report with this ID, or the link of a shared report is no longer valid.",
    fix: "List the reports with `tocsin report list`.",
    see: "guides/slos#reports",
  },
  review_not_found: {
    meaning: "The organization has no review with this ID.",
    fix: "List the reviews with `tocsin review list`.",
    see: "guides/reviews",
  },
  review_notes_changed: {
    meaning: "The notes of the review were changed after they were read. Nothing was stored.",
    fix: "Read the notes again, and send your changes with their revision.",
    see: "guides/reviews#record-decisions",
  },
  subscription_link_invalid: {
    meaning:
      "The link of a subscription to a status page is incomplete or has expired, or the subscription was deleted.",
    fix: "Subscribe again on the status page.",
    see: "spec/status-pages",
  },
  subscription_not_found: {
    meaning: "The organization has no subscription to a status page with this ID.",
    fix: "List the subscriptions with `GET /api/status-page-subscriptions`. Subscribers can delete them, too.",
    see: "spec/status-pages",
  },
  resend_not_found: {
    meaning: "The organization has no bulk resend with this ID.",
    fix: "List the bulk resends with `tocsin resend list`.",
    see: "guides/delivery#resend-in-bulk",
  },
  revision_mismatch: {
    meaning:
      "A definition or an incident was changed, created or deleted after the client read it, or a definition already exists although the request creates it. Nothing of the request was applied. The error has the current definition with its revision, or the revision of the incident.",
    fix: "Make your changes in the current definition or incident, and send it with its revision. The web console and `tocsin edit` do this by themselves.",
    see: "guides/api#avoid-lost-updates",
  },
  revision_not_found: {
    meaning:
      "The definition has no revision with this ID, or the revision was deleted after the retention time.",
    fix: "List the revisions of the definition on its History tab, or with the API.",
    see: "spec/definitions#13-history",
  },
  saved_report_not_found: {
    meaning: "The organization has no definition of the kind Report with this name.",
    fix: "List the Reports with `tocsin get reports`.",
    see: "guides/reviews#saved-reports",
  },
  slo_not_found: {
    meaning: "The project has no SLO with this name.",
    fix: "Check the name and the project. `tocsin get slos -A` lists those of all projects. An SLO that was moved keeps its name in the new project.",
  },
  test_not_resent: {
    meaning: "The delivery is a test of an alert method, which is a single attempt.",
    fix: "Send another test with `tocsin alertmethod test`.",
    see: "guides/delivery#test",
  },
  too_many_resends: {
    meaning: "The organization has as many running bulk resends as allowed.",
    fix: "Wait until one is complete, or cancel one with `tocsin resend cancel`.",
    see: "guides/delivery#resend-in-bulk",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Codes of warnings: the definition is valid and is stored, but probably does not work as intended. */
export const warningCodeTexts = {
  counter_without_increase: {
    meaning:
      "A query returns the value of a counter since its process started, not the number of events in the last minute.",
    fix: "Use `increase` with a range of one minute: `sum(increase(http_requests_total[1m]))`.",
    see: "guides/prometheus",
  },
  foreign_placeholder: {
    meaning:
      "A query or template contains placeholders of another tool, such as `$__interval` or `{{ .window }}`, which are not replaced.",
    fix: "Write the value in place of the placeholder. Variables of templates are written `$slo_name`.",
    see: "guides/templates",
  },
  good_above_total: {
    meaning:
      "The queries returned more good events than total events, so the SLI exceeds 100% and is capped.",
    fix: "Check that both queries count the same events with the same filters, and that they are not swapped.",
    see: "guides/prometheus",
  },
  increase_of_increase: {
    meaning:
      "The source has `incremental: true`, so Tocsin computes the increase of a counter, but the query computes it already.",
    fix: "Return the counter itself, or remove `incremental`.",
    see: "guides/prometheus",
  },
  more_warnings: {
    meaning: "There are more warnings than one response lists.",
    fix: "Fix the listed warnings, and apply again to see the others.",
  },
  no_series: {
    meaning: "A query returned no series in the tested time, so the SLO would have no data.",
    fix: "Check the names of metrics and labels. Test the query in the web console or with `tocsin datasource test`.",
    see: "guides/prometheus#test-an-slo-before-you-apply-it",
  },
  notifies_nobody: {
    meaning:
      "An alert policy, or an SLO for its alerts about missing data, has no alert methods, or all of them are disabled, paused or stored without effect, so the alerts are recorded, but notify nobody. The warning is at the alert policy, at the SLO that uses it, or at the SLO with the alerts about missing data.",
    fix: "Add alert methods to `spec.alertMethods` of the alert policy, or enable or resume one of them.",
    see: "guides/alerting",
  },
  range_not_one_minute: {
    meaning:
      "A query uses a range other than one minute. Tocsin reads it every minute, so events are counted several times or are missed.",
    fix: "Use a range of one minute: `[1m]`.",
    see: "guides/prometheus",
  },
  rate_not_count: {
    meaning:
      "A query returns a rate, in events per second, where a number of events in a minute is expected. `rate` instead of `increase` makes counts 60 times too small.",
    fix: "Use `increase` with a range of one minute, or multiply the rate by 60.",
    see: "guides/prometheus",
  },
  ratio_not_count: {
    meaning: "A query returns a ratio where a number of events is expected.",
    fix: "Use the numerator of the ratio for `good` or `bad`, and the denominator for `total`.",
    see: "guides/prometheus",
  },
  several_series: {
    meaning: "A query returned several series and must return one.",
    fix: "Aggregate them with `sum`, or list their labels in `groupBy` to get an objective for each series.",
    see: "guides/prometheus#one-objective-for-each-region",
  },
  sparse_time_slices: {
    meaning:
      "The SLO uses Timeslices, but many of its minutes have no events, and such minutes count as good or bad depending on the setting.",
    fix: "Set `emptyTimeSlices` to `ignored` or `lastState`, or use Occurrences.",
    see: "guides/slos",
  },
  unreachable_condition: {
    meaning:
      "A condition can never be met by an SLO, because the burn rate of its target cannot become that high.",
    fix: "Lower the value of the condition. The highest possible burn rate is 1 / (1 − target).",
    see: "guides/alerting#what-a-condition-measures",
  },
  unsupported: {
    meaning: "A document or property of another product is stored, but has no effect in Tocsin.",
    fix: "Remove it, or use the alternative in the message.",
    see: "spec/clients",
  },
  window_too_short: {
    meaning: "The alerts that the SRE Workbook recommends do not suit time windows shorter than a day.",
    fix: "Write conditions instead of `sreWorkbook`.",
    see: "guides/alerting#combine-conditions",
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>

/** Every code of an error in an API response, with what it means and how to fix it. A code that is not here does not compile. */
export const errorCodeTexts = {
  ...requests,
  ...access,
  ...parameters,
  ...documents,
  ...urls,
  ...templates,
  ...objects,
  // A warning becomes an error of the operations that only check.
  unsupported: warningCodeTexts.unsupported,
}

/** A code of an error in an API response. */
export type ErrorCode = keyof typeof errorCodeTexts

/** The codes of errors by topic, for the documentation. */
export const errorTopics: Readonly<Record<string, Readonly<Record<string, ErrorCodeText>>>> = {
  Requests: requests,
  "Credentials, tokens and keys": access,
  "Parameters and headers": parameters,
  Definitions: documents,
  URLs: urls,
  Templates: templates,
  Objects: objects,
}

/** What to do about the reasons for which attempts to deliver fail. `body_too_large` is a code of an error, too. */
const reasonFixes: Readonly<Record<Exclude<FailureReason, "body_too_large">, string>> = {
  dns_not_found: "Check the host of the URL and its DNS record.",
  dns_timeout: "Check the name servers of the host.",
  address_blocked: "Use a public address, or ask the operator to allow the address.",
  connect_refused: "Start the receiver; check the port and the firewall.",
  connect_timeout: "Check the firewall and whether the host is up.",
  tls_invalid: "Fix the certificate; see the detail of the attempt.",
  connection_reset: "Check the log of the receiver.",
  timeout: "Respond within 15 s: send 202, then process.",
  redirect_rejected: "Set the URL to the target of the redirect.",
  http_status: "Check the log of the receiver; the detail of the attempt has the status.",
  response_invalid: "Respond with HTTP/1.1 and at most 16 KiB of headers.",
  method_disabled: "Enable the alert method, then resend the delivery. It is not retried.",
  method_not_found: "The alert method was deleted. The delivery is not retried.",
  subscription_not_found: "The subscriber has unsubscribed. The delivery is not retried.",
  mail_rejected:
    "Check the address, and the log of the mail server; the detail of the attempt has the status.",
  mail_unavailable: "Set TOCSIN_SMTP_URL, then resend the delivery. It is not retried.",
  sender_unavailable: "No action is needed. The delivery is retried without using an attempt.",
}

/** The reasons for which attempts to deliver a notification fail, with what they mean and what to do. */
export const failureReasonTexts: Readonly<Record<string, ErrorCodeText>> = Record.map(
  reasonFixes,
  (fix, reason) => {
    const text = failureReasonText[reason]
    return {
      meaning: `An attempt to deliver a notification failed: ${text}.`,
      fix,
      see: "guides/delivery#why-an-attempt-failed",
    }
  },
)
