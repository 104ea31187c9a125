// Guesses are learned from what became of the last writes, by factory and kind.
import { describe, expect, it } from "vitest";
import { createGuesses } from "../src/shared/guesses.js";

const PAY = "3:pay5:dedup";
const LOCK = "3:pay4:lock";

describe("the guess for a write", () => {
  it("is that it applies at first", () => {
    const guesses = createGuesses();
    expect(guesses.of(`${PAY}1:k`, true).likely()).toBe(true);
    expect(guesses.of("no key of core's", false).likely()).toBe(true);
  });

  it("follows what the last ones of the same factory did, whatever their keys", () => {
    const guesses = createGuesses();
    guesses.of(`${PAY}1:k`, true).learn(false);
    expect(guesses.of(`${PAY}5:other`, true).likely()).toBe(false);
    guesses.of(`${PAY}1:l`, true).learn(true);
    expect(guesses.of(`${PAY}1:k`, true).likely()).toBe(true);
  });

  it("changes no mind by one surprise", () => {
    const guesses = createGuesses();
    const guess = guesses.of(`${PAY}1:k`, true);
    for (let writes = 0; writes < 5; writes += 1) guess.learn(true);
    guess.learn(false);
    expect(guess.likely()).toBe(true);
    for (let writes = 0; writes < 5; writes += 1) guess.learn(false);
    guess.learn(true);
    expect(guess.likely()).toBe(false);
  });

  it("knows nothing of other factories and other kinds of write", () => {
    const guesses = createGuesses();
    guesses.of(`${PAY}1:k`, true).learn(false);
    expect(guesses.of(`${LOCK}1:k`, true).likely()).toBe(true);
    expect(guesses.of(`${PAY}1:k`, false).likely()).toBe(true);
    expect(createGuesses().of(`${PAY}1:k`, true).likely()).toBe(true);
  });
});
