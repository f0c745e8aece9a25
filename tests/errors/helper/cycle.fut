import "../B15"
