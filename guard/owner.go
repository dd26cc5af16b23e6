// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strconv"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// maxReferences bounds the tasks that one message may refer to where each must be
// the caller's own.
const maxReferences = 256

// scoped reports whether a task is for its owner alone.
func (x *Exchange) scoped() bool {
	return x.guard.Policy.Decide(policy.TaskOwner).Do != policy.Off
}

// admitOwner refuses calls that name a task which is not known to be the caller's
// (A2A 1.0 §13.1). A task that the memory does not have is nobody's: were it let
// through, whoever asks first could take it, an id in another spelling would do, and
// the two answers would tell which tasks exist.
func (x *Exchange) admitOwner(now time.Time, r *a2a.Request) (ok bool) {
	if !x.scoped() {
		return true
	}
	switch {
	case x.Operation.Sends():
	case x.Operation.NamesTask():
		r.Odd = r.Odd || x.TaskID == nil
	default:
		return true
	}
	if r.Odd {
		x.refuse(policy.TaskOwner, statusOK, a2a.InvalidParams,
			"the task's id must be a string, under its own name in lower case letters as the protocol has it")
		return x.Refusal == nil
	}
	x.owner = x.TaskID != nil && x.owns(now, x.TaskID)
	if x.TaskID != nil && !x.owner || !x.ownsReferences(now, r) {
		x.refuse(policy.TaskOwner, statusOK, a2a.TaskNotFound, "there is no such task")
	}
	return x.Refusal == nil
}

// admitUnread refuses a call whose body is at fault and passes all the same, by the
// user's own rules: it may name a task in a way that only the agent understands.
func (x *Exchange) admitUnread(now time.Time, r *a2a.Request) {
	if x.Refusal == nil && r.Known {
		r.Odd = true
		x.admitOwner(now, r)
	}
}

// owns reports whether a task is known to be the caller's.
func (x *Exchange) owns(now time.Time, task a2a.Token) bool {
	record, _ := x.find(now, task)
	return record.Owner == OwnerCaller
}

// ownsReferences reports whether all other tasks that a call names are the caller's:
// those that its message refers to, for what the agent takes from them would be shown
// to the caller, and those that its push configurations are for.
func (x *Exchange) ownsReferences(now time.Time, r *a2a.Request) bool {
	for i := range r.Push {
		if task := r.Push[i].TaskID; task != nil && !x.owns(now, task) {
			return false
		}
	}
	count := 0
	return r.EachReference(func(task a2a.Token) bool {
		count++
		return count <= maxReferences && x.owns(now, task)
	})
}

// foreign reports whether a task must not be shown to the caller.
func (x *Exchange) foreign(known TaskRecord) bool { return known.Owner == OwnerOther && x.scoped() }

// withheld takes a task out of a list unless it is known to be the caller's.
func (u *unary) withheld(ev *a2a.Event) bool {
	x := u.x
	if !x.scoped() || x.owns(u.now, ev.TaskID) || u.report(policy.TaskOwnerList, ev) != policy.Rewrite {
		return false
	}
	u.fix.remove(u.body, ev.Object)
	u.hidden++
	return true
}

// recount makes a list's total that of the tasks which are left: the agent's own
// tells how many others have. A list that was not read as a whole is refused.
func (u *unary) recount() {
	r := u.r
	switch whole := r.Result.Of(u.body); {
	case !r.HasResult || !u.x.guard.Policy.Decide(policy.TaskOwnerList).Do.Acts():
	case r.MoreTasks || whole[0] != '{':
		u.report(policy.TaskOwnerAnswer, &r.Event)
	case r.TotalAt.End > 0:
		u.fix.replace(r.TotalAt, strconv.Itoa(len(r.Tasks)-u.hidden))
	}
}

// unreadableList refuses an answer from which the tasks of others cannot be taken.
func (x *Exchange) unreadableList() *Reply {
	if x.Operation != a2a.ListTasks || !x.guard.Policy.Decide(policy.TaskOwnerList).Do.Acts() {
		return nil
	}
	return x.refuseFault(policy.TaskOwnerList, x.plainStatus(statusBadGateway), a2a.InvalidAgentResponse, "the agent's list of tasks cannot be read; ask for a smaller page")
}
