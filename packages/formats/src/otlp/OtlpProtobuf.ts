import { exponentialBucketsMax, type Parts } from "@tocsin/domain/adapter"
import type { EntryCount, LazyData } from "./EntryCount.ts"
import { WireReader, wireTypes, writeBytes, writeVarint } from "./Wire.ts"

/**
 * The messages of OTLP metrics in protobuf, read into the objects of the JSON form, with numbers instead of the strings that JSON
 * has for those of 64 bits. Only the fields that counting needs are read.
 *
 * Source: opentelemetry-proto 1.5, metrics.proto, common.proto, resource.proto and metrics_service.proto.
 */
interface Field {
  readonly name: string
  readonly isList?: boolean
  readonly read: (reader: WireReader) => unknown
  /** Of a nested message, instead of `read`. */
  readonly message?: () => Message
  /** Of a list of numbers, which may be packed into one value. */
  readonly packedType?: number
  /** Of such a list: how many are read, and one more if there are more. */
  readonly max?: number
}

type Message = Readonly<Record<number, Field>>

/** Fields that are read in one part. */
const fieldsAtOnce = 500

function* readMessage(
  message: Message,
  reader: WireReader,
  end: number,
  entries: EntryCount,
): Parts<Record<string, unknown>> {
  const read: Record<string, unknown> = {}
  while (reader.pos < end) {
    if (++entries.fields % fieldsAtOnce === 0) yield
    const [number, wireType] = reader.tag()
    const field = message[number]
    if (field === undefined) {
      reader.skip(wireType)
      continue
    }
    if (field.message !== undefined) {
      entries.add(1)
      const length = reader.uint32()
      const value = yield* readMessage(field.message(), reader, reader.pos + length, entries)
      if (field.isList === true) ((read[field.name] ??= []) as Array<unknown>).push(value)
      else read[field.name] = value
      continue
    }
    if (field.isList !== true) {
      read[field.name] = field.read(reader)
      continue
    }
    const list = (read[field.name] ??= []) as Array<unknown>
    if (field.packedType === undefined || wireType !== wireTypes.lengthDelimited) {
      list.push(field.read(reader))
      continue
    }
    const packedEnd = reader.uint32() + reader.pos
    if (packedEnd > end) throw new RangeError("a packed list ends after its message")
    while (reader.pos < packedEnd) {
      list.push(field.read(reader))
      // What is too long is rejected as it is read on.
      if (list.length > (field.max ?? Infinity)) reader.pos = packedEnd
    }
    entries.fields += list.length
  }
  if (reader.pos !== end) throw new RangeError("a field ends after its message")
  return read
}

const one = (name: string, message: () => Message): Field => {
  let known: Message | undefined
  return { name, read: () => undefined, message: () => (known ??= message()) }
}
const many = (name: string, message: () => Message): Field => ({ ...one(name, message), isList: true })

/** A message that is read when it is needed. */
const later = (name: string, message: Message): Field => ({
  name,
  read: (reader) => {
    const bytes = reader.bytes()
    const data: LazyData = (entries) => readMessage(message, new WireReader(bytes), bytes.length, entries)
    return data
  },
})

const text = (name: string): Field => ({ name, read: (reader) => reader.string() })
const bool = (name: string): Field => ({ name, read: (reader) => reader.bool() })
const int32 = (name: string): Field => ({ name, read: (reader) => reader.int32() })
const sint32 = (name: string): Field => ({ name, read: (reader) => reader.sint32() })
const uint64 = (name: string): Field => ({ name, read: (reader) => reader.uint64() })
const int64 = (name: string): Field => ({ name, read: (reader) => reader.int64() })
const double = (name: string): Field => ({ name, read: (reader) => reader.double() })
const fixed64 = (name: string): Field => ({ name, read: (reader) => reader.fixed64() })
const sfixed64 = (name: string): Field => ({ name, read: (reader) => reader.sfixed64() })
const listOf = (field: Field): Field => ({ ...field, isList: true, packedType: wireTypes.bits64 })

/** Values may be nested; a deeper one is rejected. */
const valueDepthMax = 20

const anyValue = (depth: number): Message => {
  if (depth > valueDepthMax) throw new RangeError("an attribute is nested too deeply")
  return {
    1: text("stringValue"),
    2: bool("boolValue"),
    3: int64("intValue"),
    4: double("doubleValue"),
    5: one("arrayValue", () => ({ 1: many("values", () => anyValue(depth + 1)) })),
    6: one("kvlistValue", () => ({ 1: many("values", () => keyValue(depth + 1)) })),
    7: { name: "bytesValue", read: (reader) => Buffer.from(reader.bytes()).toString("base64") },
  }
}

const keyValue = (depth: number): Message => ({ 1: text("key"), 2: one("value", () => anyValue(depth)) })

const topKeyValue: Message = { 1: text("key"), 2: one("value", () => topValue) }
const topValue = anyValue(0)
const attributes = many("attributes", () => topKeyValue)

const numberPoint: Message = {
  7: attributes,
  2: fixed64("startTimeUnixNano"),
  3: fixed64("timeUnixNano"),
  4: double("asDouble"),
  6: sfixed64("asInt"),
  8: int32("flags"),
}

const histogramPoint: Message = {
  9: attributes,
  2: fixed64("startTimeUnixNano"),
  3: fixed64("timeUnixNano"),
  4: fixed64("count"),
  6: listOf(fixed64("bucketCounts")),
  7: listOf(double("explicitBounds")),
  10: int32("flags"),
}

const exponentialBuckets: Message = {
  1: sint32("offset"),
  2: { ...listOf(uint64("bucketCounts")), max: exponentialBucketsMax },
}

const exponentialPoint: Message = {
  1: attributes,
  2: fixed64("startTimeUnixNano"),
  3: fixed64("timeUnixNano"),
  4: fixed64("count"),
  6: sint32("scale"),
  7: fixed64("zeroCount"),
  8: one("positive", () => exponentialBuckets),
  9: one("negative", () => exponentialBuckets),
  10: int32("flags"),
  14: double("zeroThreshold"),
}

const pointsOf = (point: Message): Message => ({
  1: many("dataPoints", () => point),
  2: int32("aggregationTemporality"),
  3: bool("isMonotonic"),
})

const metric: Message = {
  1: text("name"),
  5: later("gauge", pointsOf(numberPoint)),
  7: later("sum", pointsOf(numberPoint)),
  9: later("histogram", pointsOf(histogramPoint)),
  10: later("exponentialHistogram", pointsOf(exponentialPoint)),
  11: later("summary", pointsOf({})),
}

const request: Message = {
  1: many("resourceMetrics", () => ({
    1: one("resource", () => ({ 1: attributes })),
    2: many("scopeMetrics", () => ({
      1: one("scope", () => ({ 1: text("name"), 2: text("version"), 3: attributes })),
      2: many("metrics", () => metric),
    })),
  })),
}

/**
 * Reads an `ExportMetricsServiceRequest` in parts; throws for bytes that are none, and `TooManyEntries`. The data of a metric is
 * `LazyData`.
 */
export const readProtobufRequest = (bytes: Uint8Array, entries: EntryCount): Parts<Record<string, unknown>> =>
  readMessage(request, new WireReader(bytes), bytes.length, entries)

/** An `ExportMetricsServiceResponse`. */
export const writeProtobufResponse = (rejectedPoints: number, message: string | undefined): Uint8Array => {
  if (message === undefined) return new Uint8Array()
  const text = writeBytes(2, new TextEncoder().encode(message))
  const rejected = rejectedPoints > 0 ? [1 * 8 + wireTypes.varint, ...writeVarint(rejectedPoints)] : []
  return writeBytes(1, Uint8Array.from([...rejected, ...text]))
}
