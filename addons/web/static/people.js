// Offers, answers and messages between two people on two machines.

import { made } from "./drawing.js";
import { $, confirmFirst, onSubmit } from "./page.js";
import { addPanel } from "./panels.js";
import { COLORS } from "./players.js";

const OFFERS = {
  draw: { asks: "offers a draw", waits: "You have offered a draw", declined: "The offer of a draw was declined." },
  takeback: { asks: "asks to take a move back", waits: "You have asked to take a move back", declined: "The request to take a move back was declined." },
  rematch: { asks: "offers a rematch, with the colours swapped", waits: "You have offered a rematch", declined: "The rematch was declined." },
};

// The panel with the messages, and the question about the other person's offer.
export class People {
  // shown: the displayed game.
  constructor(shown) {
    this.shown = shown;
    this.declined = "";
    this.lines = made("ol", { className: "rows", ariaLabel: "Messages" });
    this.field = made("input", { maxLength: 200, autocomplete: "off", ariaLabel: "Message", placeholder: "Write a message" });
    const form = made("form", "row", this.field, made("button", { type: "submit" }, "Send"));
    this.panel = addPanel("talk", "Talk", () => {}, "card always").parentElement;
    this.panel.append(this.lines, form);
    this.panel.hidden = true;
    $("moves-panel").after(this.panel);
    onSubmit(form, () => {
      shown.send({ say: this.field.value });
      this.field.value = "";
    });
    $("accept").addEventListener("click", () => shown.send({ accept: true }));
    $("decline").addEventListener("click", () => shown.send({ accept: false }));
    confirmFirst($("draw"), "Really offer it?", () => this.offer("draw"));
  }

  // The side of the person at this page, or -1 for a spectator.
  get own() {
    return this.shown.seats.findIndex(({ person }) => person);
  }

  offer(what) {
    this.shown.send({ offer: what });
  }

  hear(message) {
    if (message.type === "snapshot") this.declined = "";
    else if (message.type === "offer") this.declined = message.offer ? "" : (OFFERS[message.declined]?.declined ?? "");
  }

  // Describe this person's pending or declined offer; "" for none.
  get text() {
    const { offer } = this.shown;
    return offer && COLORS.indexOf(offer.by) === this.own ? `${OFFERS[offer.what].waits}.` : this.declined;
  }

  draw() {
    const { offer, talk, isShared, game } = this.shown;
    const isAsked = Boolean(offer) && this.own >= 0 && COLORS.indexOf(offer.by) !== this.own;
    $("question").hidden = !isAsked;
    if (isAsked) $("question-text").textContent = `${game.players[COLORS.indexOf(offer.by)]} ${OFFERS[offer.what].asks}.`;
    $("decline").textContent = offer?.what === "rematch" ? "No, thanks" : "No, play on";
    const isHere = isShared && this.own >= 0;
    this.lines.replaceChildren(...talk.map(({ by, text }) => made("li", "", made("b", "", game.players[COLORS.indexOf(by)]), ` ${text}`)));
    this.panel.hidden = !isHere;
  }
}
