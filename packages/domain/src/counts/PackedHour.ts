import { emptyHour, type HourOfCounts } from "./HourOfCounts.ts"
import {
  ByteReader,
  BytesAreInvalid,
  ByteWriter,
  readColumnInto,
  skipColumn,
  writeColumn,
} from "./PackedColumn.ts"
import { allPresent, countPresent, isPresent, type PresentMinutes } from "./PresentMinutes.ts"

/**
 * The minutes of all tracks of an SLO in one hour as bytes, and back, without any loss. Tracks are numbers.
 *
 * The version, and the number of groups of tracks that have counts in the same minutes with the same totals, as objectives of one
 * indicator do. Of each group: whether some minutes have no count, and then a bit for each that has one, in 8 bytes; the totals of the
 * minutes with counts as a column; the number of tracks. Of each track: its number, twice, and 1 more if its column has good events; and
 * the column, which else has bad events. Good events are stored where a total less the bad ones would be rounded.
 */
export const packHour = (tracks: ReadonlyMap<number, HourOfCounts>): Uint8Array => {
  const groups: Array<{ readonly hour: HourOfCounts; readonly tracks: Array<number> }> = []
  for (const [track, hour] of tracks) {
    const group = groups.find((each) => hasSameTotals(each.hour, hour))
    if (group === undefined) groups.push({ hour, tracks: [track] })
    else group.tracks.push(track)
  }
  const writer = new ByteWriter()
  writer.byte(version)
  writer.varint(groups.length)
  for (const { hour, tracks: ofGroup } of groups) {
    const minutes = minutesOf(hour)
    const totals = atPlaces(hour.total, minutes)
    writer.byte(minutes === undefined ? 0 : 1)
    if (minutes !== undefined)
      writer.bits(
        hour.total.map((total) => (Number.isNaN(total) ? 0 : 1)),
        0,
        1,
      )
    writeColumn(writer, totals)
    writer.varint(ofGroup.length)
    for (const track of ofGroup) {
      const good = atPlaces(tracks.get(track)?.good ?? [], minutes)
      const bad = totals.map((total, index) => total - (good[index] ?? 0))
      const isBad = good.every((each, index) => Object.is((totals[index] ?? 0) - (bad[index] ?? 0), each))
      writer.varint(2 * track + (isBad ? 0 : 1))
      writeColumn(writer, isBad ? bad : good)
    }
  }
  return writer.bytes
}

/** Reads what `packHour` has written; throws `BytesAreInvalid` for anything else. */
export const unpackHour = (bytes: Uint8Array): ReadonlyMap<number, HourOfCounts> => {
  const reader = new ByteReader(bytes)
  const tracks = new Map<number, HourOfCounts>()
  for (let groups = readGroups(reader); groups > 0; groups--) {
    const minutes = minutesIn(readPresent(reader))
    const count = minutes?.length ?? 60
    readColumnInto(totals, reader, count)
    const total = atMinutes(minutes, totals)
    for (let left = reader.varint(); left > 0; left--) {
      const track = reader.varint()
      readColumnInto(column, reader, count)
      if (track % 2 === 0)
        for (let index = 0; index < count; index++)
          column[index] = (totals[index] ?? 0) - (column[index] ?? 0)
      tracks.set(Math.floor(track / 2), { good: atMinutes(minutes, column), total })
    }
  }
  checkEnd(reader)
  return tracks
}

/** Reads in which minutes the tracks have counts: as `unpackHour`, without their values. */
export const presenceOfHour = (bytes: Uint8Array): ReadonlyMap<number, PresentMinutes> => {
  const reader = new ByteReader(bytes)
  const tracks = new Map<number, PresentMinutes>()
  for (let groups = readGroups(reader); groups > 0; groups--) {
    const present = readPresent(reader)
    const count = countPresent(present)
    skipColumn(reader, count)
    for (let left = reader.varint(); left > 0; left--) {
      tracks.set(Math.floor(reader.varint() / 2), present)
      skipColumn(reader, count)
    }
  }
  checkEnd(reader)
  return tracks
}

const readGroups = (reader: ByteReader): number => {
  const found = reader.byte()
  if (found !== version) throw new BytesAreInvalid(`an hour has version ${found}; only ${version} is known`)
  return reader.varint()
}

const checkEnd = (reader: ByteReader): void => {
  if (!reader.isAtEnd) throw new BytesAreInvalid("bytes follow an hour")
}

const version = 1

/** What `unpackHour` reads columns into, again and again: making new ones takes most of the time. */
const [totals, column] = [new Float64Array(60), new Float64Array(60)]

const hasSameTotals = (a: HourOfCounts, b: HourOfCounts): boolean => {
  for (let minute = 0; minute < 60; minute++) if (!Object.is(a.total[minute], b.total[minute])) return false
  return true
}

/** The minutes that have counts; `undefined` for all. */
const minutesOf = ({ total }: HourOfCounts): ReadonlyArray<number> | undefined =>
  total.some(Number.isNaN)
    ? total.flatMap((events, minute) => (Number.isNaN(events) ? [] : [minute]))
    : undefined

const readPresent = (reader: ByteReader): PresentMinutes =>
  reader.byte() === 0 ? allPresent : { early: reader.int32(), late: reader.int32() }

const minutesIn = (present: PresentMinutes): ReadonlyArray<number> | undefined => {
  if (present === allPresent) return undefined
  const minutes: Array<number> = []
  for (let minute = 0; minute < 60; minute++) if (isPresent(present, minute)) minutes.push(minute)
  return minutes
}

const atPlaces = (
  values: ReadonlyArray<number>,
  places: ReadonlyArray<number> | undefined,
): ReadonlyArray<number> => (places === undefined ? values : places.map((place) => values[place] ?? 0))

const atMinutes = (
  minutes: ReadonlyArray<number> | undefined,
  values: Float64Array,
): ReadonlyArray<number> => {
  const hour = emptyHour.total.slice()
  if (minutes === undefined) for (let minute = 0; minute < 60; minute++) hour[minute] = values[minute] ?? 0
  else for (let index = 0; index < minutes.length; index++) hour[minutes[index] ?? 0] = values[index] ?? 0
  return hour
}
