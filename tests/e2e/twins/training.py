"""Games of self-play, and the fits to them: every feature, weights after three passes, a pass of a network."""

from dataclasses import replace

import numpy as np
from shared import show

from quietmove.engine.tools.training import fitting
from quietmove.engine.tools.training.fit import Recipe, fit_phase, phase_bounds, read_sample
from quietmove.engine.tools.training.judge import Effort
from quietmove.engine.tools.training.network_fit import Network, passes
from quietmove.engine.tools.training.positions import empties_of
from quietmove.engine.tools.training.selfplay import SelfPlay, play_block

records = play_block(SelfPlay(6, 30, 50, 5, Effort(1, 5, "classic")), 0)
rows: dict[str, object] = {f"position {i}": [*map(int, record)] for i, record in enumerate(records.tolist())}

recipe = Recipe(epochs=3, held_out=25)
sample = read_sample(records, recipe, 0, "")
chosen = np.empty(len(records) * fitting.FEATURE_COUNT, np.int32)
fitting.choose(*map(memoryview, (sample.own, sample.opp, chosen)))
rows |= {f"features {i}": row.tolist() for i, row in enumerate(chosen.reshape(len(records), -1))}

for phase in (8, 11, 13):
    fewest, most = phase_bounds(phase)
    empties = empties_of(records)
    some = sample.part((empties >= fewest - 2) & (empties <= most + 2))
    fitted = fit_phase(recipe, (phase, some))
    used = np.flatnonzero(fitted.weights)
    rows[f"weights {phase}"] = [used.tolist(), fitted.weights[used].tolist()]
    rows[f"loss {phase}"] = repr(replace(fitted, weights=np.zeros(0, np.float32)))

small = sample.part(np.arange(12))
network = Network.drawn(3)
found = list(passes(network, small, replace(recipe, epochs=1), 0, 1))
rows["network"] = [round(found[0].loss, 2), np.round(network.values(small), 2).tolist()]  # C rounds to 32 bits
show(rows)
