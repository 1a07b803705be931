// Where the page is: which run, which call. It stands in the address behind `#`, so that links and Back work, and is
// never sent anywhere.
import { useEffect, useState } from "preact/hooks"

export interface Place {
  /** Of a page that is served; a report is of one run. */
  readonly run?: string
  readonly call?: number
}

const shape = /^#(?:\/(run-[0-9a-f]+))?\/?(?:call-(\d+))?$/

export const placeOf = (hash: string): Place => {
  const [, run, call] = shape.exec(hash) ?? []
  return { ...(run === undefined ? {} : { run }), ...(call === undefined ? {} : { call: Number(call) }) }
}

export const hashOf = ({ call, run }: Place): string =>
  `#${run === undefined ? "" : `/${run}${call === undefined ? "" : "/"}`}${call === undefined ? "" : `call-${call}`}`

/** The place, as it changes. */
export const usePlace = (): Place => {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener("hashchange", follow)
    return () => removeEventListener("hashchange", follow)
  }, [])
  return placeOf(hash)
}
