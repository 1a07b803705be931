// urlParser: from text to the parts of a URL and back, after the URL Standard. See webUrl.ts for what is left out.
// Evaluated inside the plan's context: see intrinsics.ts.
import type { Intrinsics } from "../intrinsics.ts"

export interface UrlRecord {
  readonly scheme: string
  readonly username: string
  readonly password: string
  /** Absent for URLs without an authority. */
  readonly host: string | undefined
  readonly port: number | undefined
  /** Segments, or the opaque path of URLs like `mailto:`. */
  readonly path: ReadonlyArray<string> | string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

export const urlParser = (own: Intrinsics) => {
  const encode = encodeURIComponent
  const decode = decodeURIComponent
  const toNumber = Number
  const toText = String
  const { isNaN } = Number
  const ports: Readonly<Record<string, number | undefined>> = {
    http: 80,
    https: 443,
    ws: 80,
    wss: 443,
    ftp: 21
  }
  const isSpecial = (scheme: string): boolean => ports[scheme] !== undefined || scheme === "file"

  // Percent-encode sets, beyond controls and what is not ASCII.
  const fragmentSet = ' "<>`'
  const querySet = ' "#<>'
  const specialQuerySet = `${querySet}'`
  const pathSet = `${querySet}?^\`{}`
  const userinfoSet = `${pathSet}/:;=@[\\]|`

  const percent = (value: string, set: string): string => {
    let out = ""
    for (const char of value.toWellFormed()) {
      const code = char.codePointAt(0) ?? 0
      if (code > 0x7e) out += encode(char)
      else if (code < 0x20 || set.includes(char))
        out += `%${code.toString(16).toUpperCase().padStart(2, "0")}`
      else out += char
    }
    return out
  }

  const percentDecode = (value: string): string =>
    value.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) => {
      try {
        return decode(bytes)
      } catch {
        return bytes.replace(/%[0-7][0-9a-fA-F]/g, (byte) => decode(byte))
      }
    })

  const ipv4Part = (part: string): number => {
    if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : toNumber(part)
    if (/^0[0-7]*$/.test(part)) return part === "0" ? 0 : toNumber(`0o${part.slice(1)}`)
    return /^[0-9]+$/.test(part) ? (part.startsWith("0") ? NaN : toNumber(part)) : NaN
  }

  /** `undefined`: not an IPv4 address; `null`: a bad one. */
  const ipv4 = (host: string): string | null | undefined => {
    const parts = host.split(".")
    if (parts.length > 1 && parts.at(-1) === "") parts.pop()
    const last = parts.at(-1) ?? ""
    if (!/^[0-9]+$/.test(last) && !/^0x[0-9a-f]*$/i.test(last)) return undefined
    const numbers = parts.map(ipv4Part)
    if (parts.length > 4 || numbers.some(isNaN)) return null
    if (numbers.slice(0, -1).some((part) => part > 255)) return null
    const tail = numbers.at(-1) ?? 0
    if (tail >= 256 ** (5 - numbers.length)) return null
    let address = tail
    numbers.slice(0, -1).forEach((part, index) => {
      address += part * 256 ** (3 - index)
    })
    return [24, 16, 8, 0].map((shift) => toText(Math_floor(address / 2 ** shift) % 256)).join(".")
  }
  const Math_floor = Math.floor

  const ipv6 = (inner: string): string | undefined => {
    const halves = inner.split("::")
    if (halves.length > 2) return undefined
    const groups = (half: string): Array<number> | undefined => {
      if (half === "") return []
      const out: Array<number> = []
      const parts = half.split(":")
      for (const [index, part] of parts.entries()) {
        if (part.includes(".") && index === parts.length - 1) {
          const bytes = part.split(".")
          if (
            bytes.length !== 4 ||
            !bytes.every((byte) => /^(0|[1-9][0-9]{0,2})$/.test(byte) && toNumber(byte) < 256)
          ) {
            return undefined
          }
          const [a = 0, b = 0, c = 0, d = 0] = bytes.map(toNumber)
          out.push(a * 256 + b, c * 256 + d)
        } else if (/^[0-9a-f]{1,4}$/i.test(part)) out.push(toNumber(`0x${part}`))
        else return undefined
      }
      return out
    }
    const head = groups(halves[0] ?? "")
    const tail = halves.length === 2 ? groups(halves[1] ?? "") : []
    if (head === undefined || tail === undefined) return undefined
    const missing = 8 - head.length - tail.length
    if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
    const all = [...head, ...Array.from({ length: missing }, () => 0), ...tail]
    let best = { at: -1, size: 1 }
    for (let at = 0; at < 8; at++) {
      let size = 0
      while (all[at + size] === 0) size++
      if (size > best.size) best = { at, size }
    }
    const hex = (part: ReadonlyArray<number>) => part.map((group) => group.toString(16)).join(":")
    if (best.at < 0) return hex(all)
    return `${hex(all.slice(0, best.at))}::${hex(all.slice(best.at + best.size))}`
  }

  /** `undefined`: no valid host. */
  const hostFrom = (input: string, special: boolean): string | undefined => {
    if (input.startsWith("[")) {
      const address = input.endsWith("]") ? ipv6(input.slice(1, -1)) : undefined
      return address === undefined ? undefined : `[${address}]`
    }
    if (!special) return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(input) ? undefined : percent(input, "")
    const host = percentDecode(input).toLowerCase()
    // oxlint-disable-next-line no-control-regex
    if (host === "" || /[\u0000-\u0020"#%/:<>?@[\\\]^`{|}\u007f-\uffff]/.test(host)) return undefined
    const address = ipv4(host)
    return address === null ? undefined : (address ?? host)
  }

  const isDot = (segment: string): boolean => /^(\.|%2e)$/i.test(segment)
  const isTwoDots = (segment: string): boolean => /^(\.|%2e){2}$/i.test(segment)

  const pathFrom = (
    input: string,
    before: ReadonlyArray<string>,
    special: boolean
  ): ReadonlyArray<string> => {
    const path = [...before]
    const segments = (special ? input.replaceAll("\\", "/") : input).split("/")
    segments.forEach((segment, index) => {
      const isLast = index === segments.length - 1
      if (isTwoDots(segment)) {
        path.pop()
        if (isLast) path.push("")
      } else if (isDot(segment)) {
        if (isLast) path.push("")
      } else path.push(percent(segment, pathSet))
    })
    return path
  }

  const authority = (input: string, scheme: string) => {
    const at = input.lastIndexOf("@")
    const credentials = at < 0 ? "" : input.slice(0, at)
    const colon = credentials.indexOf(":")
    const [, hostText = "", portText] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(input.slice(at + 1)) ?? []
    const special = isSpecial(scheme)
    if (portText !== undefined && !/^[0-9]*$/.test(portText)) return undefined
    const number = portText === undefined || portText === "" ? undefined : toNumber(portText)
    if (number !== undefined && number > 65_535) return undefined
    if (scheme === "file" && (at >= 0 || portText !== undefined)) return undefined
    const isEmpty = hostText === "" && (!special || scheme === "file")
    if (isEmpty && (at >= 0 || number !== undefined)) return undefined
    const host = isEmpty ? "" : hostFrom(hostText, special)
    if (host === undefined) return undefined
    return {
      username: percent(colon < 0 ? credentials : credentials.slice(0, colon), userinfoSet),
      password: colon < 0 ? "" : percent(credentials.slice(colon + 1), userinfoSet),
      host: scheme === "file" && host === "localhost" ? "" : host,
      port: number === ports[scheme] ? undefined : number
    }
  }

  const queryFrom = (query: string | undefined, scheme: string): string | undefined =>
    query === undefined ? undefined : percent(query, isSpecial(scheme) ? specialQuerySet : querySet)

  const parse = (input: string, base: string | undefined): UrlRecord | undefined => {
    const on = base === undefined ? undefined : parse(base, undefined)
    if (base !== undefined && on === undefined) return undefined
    // oxlint-disable-next-line no-control-regex
    const clean = input.replace(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/g, "").replace(/[\t\n\r]/g, "")
    const [, before = "", hash] = /^([^#]*)(?:#(.*))?$/s.exec(clean) ?? []
    const fragment = hash === undefined ? undefined : percent(hash, fragmentSet)
    const [, rawScheme] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(before) ?? []
    const named = rawScheme?.toLowerCase()
    const rest = rawScheme === undefined ? before : before.slice(rawScheme.length + 1)
    const scheme = named ?? on?.scheme
    if (scheme === undefined) return undefined
    const special = isSpecial(scheme)
    const question = rest.indexOf("?")
    const main = question < 0 ? rest : rest.slice(0, question)
    const query = queryFrom(question < 0 ? undefined : rest.slice(question + 1), scheme)
    const slashed = special ? main.replaceAll("\\", "/") : main
    const isSame = named === undefined || (named === on?.scheme && special && !slashed.startsWith("//"))
    const none = { username: "", password: "", host: undefined, port: undefined }

    if (named !== undefined && special && scheme !== "file" && !(isSame && on !== undefined)) {
      return withAuthority(slashed.replace(/^\/*/, ""), scheme, query, fragment)
    }
    if (slashed.startsWith("//")) return withAuthority(slashed.slice(2), scheme, query, fragment)
    if (on !== undefined && isSame && (named === undefined || scheme !== "file" || on.scheme === "file")) {
      if (typeof on.path === "string") {
        return rest === "" && named === undefined && hash !== undefined ? { ...on, fragment } : undefined
      }
      if (slashed.startsWith("/"))
        return { ...on, path: pathFrom(slashed.slice(1), [], special), query, fragment }
      if (slashed === "") return { ...on, query: question < 0 ? on.query : query, fragment }
      return { ...on, path: pathFrom(slashed, on.path.slice(0, -1), special), query, fragment }
    }
    if (named === undefined) return undefined
    if (scheme === "file") {
      return {
        scheme,
        ...none,
        host: "",
        path: pathFrom(slashed.replace(/^\//, ""), [], true),
        query,
        fragment
      }
    }
    if (slashed.startsWith("/"))
      return { scheme, ...none, path: pathFrom(slashed.slice(1), [], false), query, fragment }
    return { scheme, ...none, path: percent(main, ""), query, fragment }
  }

  const withAuthority = (
    input: string,
    scheme: string,
    query: string | undefined,
    fragment: string | undefined
  ): UrlRecord | undefined => {
    const slash = input.indexOf("/")
    const parts = authority(slash < 0 ? input : input.slice(0, slash), scheme)
    if (parts === undefined) return undefined
    const special = isSpecial(scheme)
    const path = slash < 0 ? (special ? [""] : []) : pathFrom(input.slice(slash + 1), [], special)
    return { scheme, ...parts, path, query, fragment }
  }

  const hostOf = ({ host, port }: UrlRecord): string => `${host ?? ""}${port === undefined ? "" : `:${port}`}`

  const pathOf = ({ path }: UrlRecord): string =>
    typeof path === "string" ? path : path.map((segment) => `/${segment}`).join("")

  const serialize = (url: UrlRecord): string => {
    const password = url.password === "" ? "" : `:${url.password}`
    const credentials = url.username === "" && password === "" ? "" : `${url.username}${password}@`
    const path = pathOf(url)
    const place =
      url.host === undefined ? (path.startsWith("//") ? "/." : "") : `//${credentials}${hostOf(url)}`
    const query = url.query === undefined ? "" : `?${url.query}`
    const fragment = url.fragment === undefined ? "" : `#${url.fragment}`
    return `${url.scheme}:${place}${path}${query}${fragment}`
  }

  const originOf = (url: UrlRecord): string =>
    ports[url.scheme] === undefined ? "null" : `${url.scheme}://${hostOf(url)}`

  /** One part set to a new text; a part that cannot be set so stays what it was. */
  const change = (url: UrlRecord, part: string, value: string): UrlRecord => {
    const special = isSpecial(url.scheme)
    const isOpaque = typeof url.path === "string"
    const isBare = url.host === undefined || url.host === "" || url.scheme === "file"
    switch (part) {
      case "protocol": {
        const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):?/.exec(value)?.[1]?.toLowerCase()
        if (
          scheme === undefined ||
          isSpecial(scheme) !== special ||
          scheme === "file" ||
          url.scheme === "file"
        )
          return url
        return { ...url, scheme, port: url.port === ports[scheme] ? undefined : url.port }
      }
      case "username":
        return isBare ? url : { ...url, username: percent(value, userinfoSet) }
      case "password":
        return isBare ? url : { ...url, password: percent(value, userinfoSet) }
      case "port": {
        const digits = /^[0-9]*/.exec(value)?.[0] ?? ""
        if (isBare || toNumber(digits) > 65_535 || (digits === "" && value !== "")) return url
        const port = digits === "" ? undefined : toNumber(digits)
        return { ...url, port: port === ports[url.scheme] ? undefined : port }
      }
      case "host":
      case "hostname": {
        if (isOpaque) return url
        const end = special ? /[/\\?#]/ : /[/?#]/
        const found = authority(value.split(end)[0]?.replaceAll("@", "%40") ?? "", url.scheme)
        if (found === undefined || (found.host === "" && special)) return url
        return {
          ...url,
          host: found.host,
          ...(part === "host" && found.port !== undefined ? { port: found.port } : {})
        }
      }
      case "pathname":
        if (isOpaque) return url
        return { ...url, path: pathFrom(value.replace(special ? /^[/\\]/ : /^\//, ""), [], special) }
      case "search":
        return { ...url, query: value === "" ? undefined : queryFrom(value.replace(/^\?/, ""), url.scheme) }
      default:
        return { ...url, fragment: value === "" ? undefined : percent(value.replace(/^#/, ""), fragmentSet) }
    }
  }

  const encodeForm = (value: string): string =>
    encode(value.toWellFormed())
      .replace(/%20/g, "+")
      .replace(/[!'()~]/g, (char) => `%${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}`)

  const decodeForm = (value: string): string => percentDecode(value.replaceAll("+", " "))

  own.freeze(ports)
  return { parse, serialize, change, hostOf, pathOf, originOf, encodeForm, decodeForm }
}
