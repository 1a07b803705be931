// scrub: takes from this process's own realm every road from an object to a constructor, and with it to code and to
// Node. No object of this realm is meant to reach a plan; if an engine bug hands one over (an error of the host, a
// promise), it leads nowhere. Call it last: Node's own code has what it needs by then.

const samples = (): ReadonlyArray<object> => [
  {},
  [],
  function () {},
  async function () {},
  function* () {},
  async function* () {},
  Promise.resolve(),
  new Map(),
  new Set(),
  new WeakMap(),
  new WeakSet(),
  /x/,
  new Date(0),
  Symbol.prototype,
  String.prototype,
  Number.prototype,
  Boolean.prototype,
  BigInt.prototype,
  new Error(),
  new TypeError(),
  new RangeError(),
  new ReferenceError(),
  new SyntaxError(),
  new EvalError(),
  new URIError(),
  new AggregateError([]),
  new Uint8Array(),
  new ArrayBuffer(0),
  new DataView(new ArrayBuffer(0)),
  (function* () {})(),
  (async function* () {})(),
  [][Symbol.iterator]()
]

export const scrub = (): void => {
  const prototypes = new Set<object>()
  for (const sample of samples()) {
    for (
      let at: object | null = typeof sample === "function" ? sample : sample;
      at !== null;
      at = Object.getPrototypeOf(at)
    ) {
      if (at !== sample || Object.hasOwn(at, "constructor")) prototypes.add(at)
    }
  }
  for (const prototype of prototypes) {
    Reflect.deleteProperty(prototype, "constructor")
    // A frozen constructor property would stay; what cannot be deleted is made useless.
    if (Object.hasOwn(prototype, "constructor"))
      Reflect.defineProperty(prototype, "constructor", { value: undefined })
  }
  for (const prototype of prototypes) Object.freeze(prototype)
}
