// Guesses are learned from what became of the last writes, by factory and kind.
import { describe, expect, it } from "vitest";
import { createGuesses } from "../../src/postgres/guesses.js";

const PAY = "3:pay5:dedup";
const LOCK = "3:pay4:lock";

describe("the guess for a write", () => {
  it("is the short statement at first", () => {
    const guesses = createGuesses();
    expect(guesses.of(`${PAY}1:k`, true).short()).toBe(true);
    expect(guesses.of("no key of core's", false).short()).toBe(true);
  });

  it("follows what the last ones of the same factory did, whatever their keys", () => {
    const guesses = createGuesses();
    guesses.of(`${PAY}1:k`, true).learn(false);
    expect(guesses.of(`${PAY}5:other`, true).short()).toBe(false);
    guesses.of(`${PAY}1:l`, true).learn(true);
    expect(guesses.of(`${PAY}1:k`, true).short()).toBe(true);
  });

  it("changes no mind by one surprise", () => {
    const guesses = createGuesses();
    const guess = guesses.of(`${PAY}1:k`, true);
    for (let writes = 0; writes < 5; writes += 1) guess.learn(true);
    guess.learn(false);
    expect(guess.short()).toBe(true);
    for (let writes = 0; writes < 5; writes += 1) guess.learn(false);
    guess.learn(true);
    expect(guess.short()).toBe(false);
  });

  it("knows nothing of other factories and other kinds of write", () => {
    const guesses = createGuesses();
    guesses.of(`${PAY}1:k`, true).learn(false);
    expect(guesses.of(`${LOCK}1:k`, true).short()).toBe(true);
    expect(guesses.of(`${PAY}1:k`, false).short()).toBe(true);
    expect(createGuesses().of(`${PAY}1:k`, true).short()).toBe(true);
  });
});
